import { Fault } from '../../base/fault.ts'
import { peopleLimits } from '../../base/people-limits.ts'

/** Looks at passwords take turns: each takes 46 MiB and a thread that others need too. */
export type TakeTurns = <Result>(work: () => Promise<Result>) => Promise<Result>

export function passwordTurns(): TakeTurns {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (running >= peopleLimits.passwordChecksAtOnceMax) {
      if (waiting.length >= peopleLimits.passwordChecksWaitingMax) {
        throw new Fault('TOO_MANY_REQUESTS', { headers: { 'retry-after': '5' }, detail: 'too many sign-ins at once' })
      }
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else running += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
