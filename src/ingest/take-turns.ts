/** Lets `atOnceMax` run at a time; the others wait in the order they came. */
export function takeTurns(atOnceMax: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= atOnceMax) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
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
