import { callerLeft } from './fault.ts'

/**
 * Lets work under one name be done one after the other, in the order it is asked for; how the one before ends does not
 * matter. Whoever is told meanwhile, by the signal, that nobody waits for them any more gives up.
 */
export function afterTheSame(): <Result>(
  name: string,
  signal: AbortSignal,
  work: () => Promise<Result>,
) => Promise<Result> {
  const underWay = new Map<string, Promise<unknown>>()
  return async (name, signal, work) => {
    for (let earlier = underWay.get(name); earlier !== undefined; earlier = underWay.get(name)) {
      await Promise.race([earlier, aborting(signal)]).catch(() => {})
      if (signal.aborted) throw callerLeft()
    }
    const own = work()
    underWay.set(name, own)
    try {
      return await own
    } finally {
      underWay.delete(name)
    }
  }
}

const aborting = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
