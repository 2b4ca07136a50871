/** How fast places become free while somebody waits for one. */
export type Pace = {
  /** Somebody has begun to wait where nobody did. */
  readonly begin: () => void
  /** A place has become free for somebody who waited. */
  readonly note: () => void
  /** How long it is likely to take until `places` more have become free. */
  readonly expectedMs: (places: number) => number
}

/**
 * Heavy and light queries come mixed, and in waves: what is said of the next few dozen is said by the last few dozen, not
 * by the last few. Of what is this old a third still counts.
 */
const memoryMs = 2_000

export function keepPace(): Pace {
  // Both fade alike, so that one divided by the other is a mean.
  let freed = 0
  let spentMs = 0
  let since = 0
  let isFirst = true
  return {
    begin: () => {
      since = performance.now()
      isFirst = true
    },
    note: () => {
      const gapMs = performance.now() - since
      // The first tells how long a query takes, not how often one of many ends.
      if (isFirst) {
        isFirst = false
        since += gapMs
        return
      }
      const kept = Math.exp(-gapMs / memoryMs)
      freed = freed * kept + 1
      spentMs = spentMs * kept + gapMs
      since += gapMs
    },
    // That nothing has become free for longer than usual is news too.
    expectedMs: (places) => {
      const gapMs = performance.now() - since
      if (freed === 0) return gapMs
      const kept = Math.exp(-gapMs / memoryMs)
      return (places * (spentMs * kept + gapMs)) / (freed * kept)
    },
  }
}
