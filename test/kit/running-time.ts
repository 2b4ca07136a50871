/**
 * Time in which this process could run. A shared machine stands still for seconds now and then, and a bound on elapsed time
 * is about the program, not about that. What the process itself computes counts: whoever blocks the loop by it is not excused.
 * For bounds from above only: the timers of a program go on while the machine stands still.
 */
const beatMs = 50
/** A gap between two beats that is nothing out of the ordinary. */
const usualGapMs = 200

// As they were when this was loaded: tests put others in their place.
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

/** Like `performance.now()`, without what was lost. */
export function runningMs(): number {
  beat()
  return clock() - lost
}

/** How long something has taken: by the clock, for what must not come earlier, and of this process, for what must not come later. */
export type Taken = { readonly passedMs: number; readonly ranMs: number }

export function stopwatch(): () => Taken {
  const [startedAt, ranBefore] = [clock(), runningMs()]
  return () => ({ passedMs: clock() - startedAt, ranMs: runningMs() - ranBefore })
}

/** Again when it failed while the machine stood still: where timers of the program race those of the test, either may win. */
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
