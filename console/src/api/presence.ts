/** After this long without a sign of anybody the page asks for nothing by itself: or no session would end by disuse. */
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

/** At once while somebody is, or has been a moment ago. */
export function untilSomebodyIsHere(): Promise<void> {
  if (!document.hidden && Date.now() - seenAt < leftAfterMs) return Promise.resolve()
  return new Promise((resolve) => waiting.add(resolve))
}
