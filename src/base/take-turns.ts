/** How many may wait, and what whoever comes then is told. */
type Waiting = { readonly max: number; readonly refuse: () => Error }

/** Lets `atOnceMax` run at a time; the others wait in the order they came. */
export function takeTurns(
  atOnceMax: number,
  allowed?: Waiting,
): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running < atOnceMax) running += 1
    else if (allowed !== undefined && waiting.length >= allowed.max) throw allowed.refuse()
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      // The place is handed on, not given up: nobody can slip in between.
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
