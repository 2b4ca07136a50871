/**
 * Measures the time in which this process could run. A shared machine sometimes freezes for seconds, and an upper bound
 * on a duration must not count these seconds. CPU time of this process always counts, even if the process blocks the
 * event loop. Use `runningMs` only for upper bounds: timers of the program go on while the machine is frozen.
 */
const beatMs = 50
/** A gap of up to this length between two beats is normal and not counted as a freeze. */
const usualGapMs = 200

// The function is bound when the module loads, because tests replace `performance.now`.
const clock = performance.now.bind(performance)
const processorMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

let last = { at: clock(), worked: processorMs() }
let lost = 0

function beat(): void {
  const now = { at: clock(), worked: processorMs() }
  const stoodStillMs = now.at - last.at - Math.max(now.worked - last.worked, beatMs)
  if (stoodStillMs > usualGapMs) lost += stoodStillMs
  last = now
}
setInterval(beat, beatMs).unref()

/** Like `performance.now()`, but without the time in which the machine was frozen. */
export function runningMs(): number {
  beat()
  return clock() - lost
}

/**
 * How long something took. `passedMs` is the elapsed time, for lower bounds. `ranMs` is the time in which this process
 * could run, for upper bounds.
 */
export type Taken = { readonly passedMs: number; readonly ranMs: number }

export function stopwatch(): () => Taken {
  const [startedAt, ranBefore] = [clock(), runningMs()]
  return () => ({ passedMs: clock() - startedAt, ranMs: runningMs() - ranBefore })
}

/**
 * Runs a scenario. If the scenario fails and the machine froze meanwhile, runs it again, up to three times in total. A
 * freeze can change the order in which timers of the program and timers of the test fire.
 */
export async function undisturbed<T>(scenario: () => Promise<T>): Promise<T> {
  for (let turn = 1; ; turn += 1) {
    beat()
    const lostBefore = lost
    try {
      return await scenario()
    } catch (error) {
      beat()
      if (turn === 3 || lost === lostBefore) throw error
    }
  }
}
