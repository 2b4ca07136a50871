import type { Agent, Dataset, Result, Span } from './facts.ts'
import { rightRules, type Rules } from './rules.ts'

export const dayMs = 86_400_000

/** A result, the agent's metadata at the time of the result, and the local time of the result. */
export type Located = {
  result: Result
  span: Span
  /** The agent's local time in milliseconds since 1970, computed as if it were UTC. */
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

/** The offset without daylight saving time: the smaller of the two offsets in January and in July. */
function standardOffsetMs(zone: string, endedAt: number): number {
  const { year } = Temporal.Instant.fromEpochMilliseconds(endedAt).toZonedDateTimeISO('UTC')
  return Math.min(...[0, 6].map((month) => offsetMs(zone, Date.UTC(year, month, 15))))
}

const located = new WeakMap<Dataset, Map<string, readonly Located[]>>()

/** The results of a test with their local times. Cached, because the lookup of a zone's offset is slow. */
export function locatedResults(dataset: Dataset, test: string, rules: Rules = rightRules): readonly Located[] {
  const kept = located.get(dataset) ?? new Map<string, readonly Located[]>()
  located.set(dataset, kept)
  const key = [test, rules.metadata, rules.daylightSaving].join()
  const known = kept.get(key) ?? (dataset.results.get(test) ?? []).map((result) => locate(result, rules))
  kept.set(key, known)
  return known
}

/**
 * The clock of the agents that are the furthest west now, on the same scale as `localMs`. Agents without a zone are in
 * UTC.
 */
export function westernmostMs(agents: readonly Agent[], now: Temporal.Instant): number {
  const nowMs = now.epochMilliseconds
  const zones = new Set(agents.map((agent) => spanOn(agent, Math.floor(nowMs / dayMs)).zone ?? 'UTC'))
  return nowMs + (zones.size === 0 ? 0 : Math.min(...[...zones].map((zone) => offsetMs(zone, nowMs))))
}

const wholeSecond = (milliseconds: number): number => Math.floor(milliseconds / 1000) * 1000

/**
 * A timestamp given in a request, on the same scale as `localMs`. A timestamp that is relative, in milliseconds or has
 * a Z is computed in UTC, and the result is used as local time.
 */
export function requestedMs(given: string | number, end: 'from' | 'to', now: Temporal.Instant, rules: Rules): number {
  const text = String(given)
  if (/^\d+$/.test(text)) return wholeSecond(Number(text))
  if (text.endsWith('Z')) return wholeSecond(Temporal.Instant.from(text).epochMilliseconds)
  if (/^\d{4}-\d\d-\d\d$/.test(text))
    return Date.parse(text) + (end === 'to' && rules.dayAsEnd === 'its last second' ? dayMs - 1000 : 0)
  const nowMs = wholeSecond(now.epochMilliseconds)
  if (text.toLowerCase() === 'now') return nowMs
  const days = /^([+-]\d+) days?$/i.exec(text)?.[1]
  if (days !== undefined) return nowMs + Number(days) * dayMs
  return Temporal.PlainDateTime.from(text.replace(' ', 'T')).toZonedDateTime('UTC').epochMilliseconds
}

/** True if the time is in the range. Both ends are included, and times are compared in whole seconds. */
export function isInRange(localMs: number, range: { fromMs: number; toMs: number }, rules: Rules): boolean {
  const moment = rules.secondsOfRange === 'whole' ? wholeSecond(localMs) : localMs
  return moment >= range.fromMs && (rules.toIncluded ? moment <= range.toMs : moment < range.toMs)
}
