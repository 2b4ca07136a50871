/** How fast places become free while somebody waits for one. */
export type Pace = {
  /** Somebody has begun to wait where nobody did. */
  readonly begin: () => void
  /** A place has become free for somebody who waited. */
  readonly note: () => void
  /** How long it is likely to take until `places` more have become free. */
  readonly expectedMs: (places: number) => number
}

/** What the latest one says against all before it: heavy and light queries come mixed, and in waves. */
const weight = 0.2

export function keepPace(): Pace {
  let meanMs = 0
  let since = 0
  return {
    begin: () => {
      since = performance.now()
    },
    note: () => {
      const now = performance.now()
      meanMs = meanMs === 0 ? now - since : meanMs + weight * (now - since - meanMs)
      since = now
    },
    // That nothing has become free for longer than usual is news too.
    expectedMs: (places) => places * meanMs + Math.max(0, performance.now() - since - meanMs),
  }
}
