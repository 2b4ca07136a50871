export type Repeated = { poke: () => void; close: () => Promise<void> }

/** Does `work` again and again, with a pause between; a poke ends the pause. It never runs twice at once. */
export function repeat(work: () => Promise<void>, pauseMs: number, onError: (error: unknown) => void): Repeated {
  const state = { poked: false, closed: false, endPause: () => {} }
  const pause = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pauseMs)
      state.endPause = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  const run = async () => {
    while (!state.closed) {
      state.poked = false
      await work().catch(onError)
      if (!state.poked && !state.closed) await pause()
    }
  }
  const running = run()
  return {
    poke: () => {
      state.poked = true
      state.endPause()
    },
    close: async () => {
      state.closed = true
      state.endPause()
      await running
    },
  }
}

const restMaxMs = 60_000

/**
 * The same work, left out for a while after it has failed: twice as long each time, up to a minute. For what costs the stores
 * a lot and may fail for a reason that lasts.
 */
export function lessAndLess(work: () => Promise<void>): () => Promise<void> {
  let failures = 0
  let restUntil = 0
  return async () => {
    if (performance.now() < restUntil) return
    try {
      await work()
      failures = 0
    } catch (error) {
      failures += 1
      restUntil = performance.now() + Math.min(restMaxMs, 1_000 * 2 ** failures)
      throw error
    }
  }
}
