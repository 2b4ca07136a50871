import type { Agent, Dataset, Result, Span } from './facts.ts'
import { rightRules, type Rules } from './rules.ts'

export const dayMs = 86_400_000

/** A result with what was true of its agent at that moment, and the time on the agent's wall. */
export type Located = {
  result: Result
  span: Span
  /** Milliseconds since 1970 on a clock that shows the agent's local time and is read as UTC. */
  localMs: number
}

const nothing: Span = { fromDay: -Infinity, isp: null, package: null, zone: null, custom: {} }

export const spanOn = (agent: Agent, day: number): Span =>
  agent.timeline.findLast(({ fromDay }) => fromDay <= day) ?? nothing

const offsetMs = (zone: string, endedAt: number): number =>
  Temporal.Instant.fromEpochMilliseconds(endedAt).toZonedDateTimeISO(zone).offsetNanoseconds / 1e6

function locate(result: Result, rules: Rules): Located {
  const { agent, endedAt } = result
  const span = spanOn(agent, rules.metadata === 'current' ? Infinity : Math.floor(endedAt / dayMs))
  const zone = span.zone ?? 'UTC'
  const offset = rules.daylightSaving === 'ignored' ? standardOffsetMs(zone, endedAt) : offsetMs(zone, endedAt)
  return { result, span, localMs: endedAt + offset }
}

/** The offset outside of daylight saving: the smaller of mid-winter's and mid-summer's. */
function standardOffsetMs(zone: string, endedAt: number): number {
  const { year } = Temporal.Instant.fromEpochMilliseconds(endedAt).toZonedDateTimeISO('UTC')
  return Math.min(...[0, 6].map((month) => offsetMs(zone, Date.UTC(year, month, 15))))
}

const located = new WeakMap<Dataset, Map<string, readonly Located[]>>()

/** The results of a test, located; kept, because asking a zone for its offset is the dear part. */
export function locatedResults(dataset: Dataset, test: string, rules: Rules = rightRules): readonly Located[] {
  const kept = located.get(dataset) ?? new Map<string, readonly Located[]>()
  located.set(dataset, kept)
  const key = [test, rules.metadata, rules.daylightSaving].join()
  const known = kept.get(key) ?? (dataset.results.get(test) ?? []).map((result) => locate(result, rules))
  kept.set(key, known)
  return known
}

/** A moment of a request, on the same clock as `localMs`. Relative ones are taken from UTC and read as local. */
export function requestedMs(text: string, now: Temporal.Instant): number {
  const nowMs = Math.floor(now.epochMilliseconds / 1000) * 1000
  if (text.toLowerCase() === 'now') return nowMs
  const days = /^([+-]\d+) days?$/i.exec(text)?.[1]
  if (days !== undefined) return nowMs + Number(days) * dayMs
  return Temporal.PlainDateTime.from(text.replace(' ', 'T')).toZonedDateTime('UTC').epochMilliseconds
}

/** Both ends included, compared at whole seconds. */
export function isInRange(localMs: number, range: { fromMs: number; toMs: number }, rules: Rules): boolean {
  const moment = rules.secondsOfRange === 'whole' ? Math.floor(localMs / 1000) * 1000 : localMs
  return moment >= range.fromMs && (rules.toIncluded ? moment <= range.toMs : moment < range.toMs)
}
