/**
 * If the user has not been active for this long, the page sends no automatic requests. Otherwise these requests would prevent
 * the idle timeout of the session.
 */
const leftAfterMs = 10 * 60_000

let seenAt = Date.now()
const waiting = new Set<() => void>()

function note(): void {
  if (document.hidden) return
  seenAt = Date.now()
  for (const goOn of waiting) goOn()
  waiting.clear()
}

for (const sign of ['pointerdown', 'pointermove', 'keydown', 'scroll', 'visibilitychange'])
  addEventListener(sign, note, { passive: true, capture: true })

/** Resolves at once if the user was active in the last ten minutes, otherwise at the next activity. */
export function untilSomebodyIsHere(): Promise<void> {
  if (!document.hidden && Date.now() - seenAt < leftAfterMs) return Promise.resolve()
  return new Promise((resolve) => waiting.add(resolve))
}
