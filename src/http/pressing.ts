/** How many times somebody has been refused, of the present second. */
export type Pressing = { since: number; times: number }

/** Of one caller in a second: a few that were sent before the first was answered are no flood. */
const patienceTimes = 10

export const newPressing = (): Pressing => ({ since: performance.now(), times: 0 })

/** They are refused once more: whether that is again and again. */
export function isPressing(one: Pressing): boolean {
  const now = performance.now()
  if (now - one.since > 1_000) Object.assign(one, { since: now, times: 0 })
  one.times += 1
  return one.times > patienceTimes
}
