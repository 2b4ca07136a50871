export type Repeated = { poke: () => void; close: () => Promise<void> }

/**
 * Does `work` again and again, with a pause between; a poke ends the pause. It never runs twice at once. `restOf` says how
 * long nobody can poke it after work that took so many milliseconds.
 */
export function repeat(
  work: () => Promise<void>,
  pauseMs: number,
  onError: (error: unknown) => void,
  restOf: (tookMs: number) => number = () => 0,
): Repeated {
  const state = { poked: false, closed: false, endPause: () => {}, endRest: () => {} }
  const pause = (milliseconds: number, endBy: 'endPause' | 'endRest') =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds)
      state[endBy] = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  const run = async () => {
    while (!state.closed) {
      state.poked = false
      const startedAt = performance.now()
      await work().catch(onError)
      const restMs = restOf(performance.now() - startedAt)
      if (restMs > 0 && !state.closed) await pause(restMs, 'endRest')
      if (!state.poked && !state.closed) await pause(pauseMs, 'endPause')
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
      state.endRest()
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

/** Writes down what has gathered every so often, never twice at once; whoever closes it waits until the rest is written. */
export function keepFlushing(
  flush: () => Promise<void>,
  pauseMs: number,
  onError: (error: unknown) => void,
): () => Promise<void> {
  const flushing = repeat(flush, pauseMs, onError)
  return async () => {
    await flushing.close()
    await flush().catch(onError)
  }
}
