export type Repeated = { poke: () => void; close: () => Promise<void> }

/**
 * Runs `work` repeatedly with a pause in between; two runs never overlap. `poke` ends the pause early. `restOf` receives the
 * duration of a run and returns the minimum pause after it, which `poke` cannot shorten.
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
 * After a failure, skips `work` for some time: the time doubles with each further failure, up to one minute. Use it for work
 * that is expensive for the stores and may fail for a long time.
 */
export function backoff(work: () => Promise<void>): () => Promise<void> {
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

/**
 * Calls `flush` at intervals; two calls never overlap. The returned function stops the interval and calls `flush` one last
 * time.
 */
export function flushRegularly(
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
