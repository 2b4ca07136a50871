/** A time zone, and its number in the metadata timelines. */
export type Zone = { readonly id: number; readonly name: string }

/**
 * The offset from UTC of every time zone during a time range, in seconds. Positive offsets are east of UTC. A query contains
 * these arrays.
 */
export type ZoneOffsets = {
  /**
   * The offset of each zone at the start of the range; the index is the zone number. Zone 0, an unknown zone, has the offset of
   * UTC.
   */
  readonly atStart: readonly number[]
  /** The number of each zone's list of transitions; the index is the zone number. Zones with equal transitions share a list. */
  readonly rule: readonly number[]
  /**
   * The first transition of every list, then the second transition of every list, and so on. `from` is the UTC second of the
   * transition, and `by` the change of the offset.
   */
  readonly transitions: readonly { readonly from: readonly number[]; readonly by: readonly number[] }[]
  readonly least: number
  readonly greatest: number
  /** Numbers of the zones that this instance does not know, because a newer release has added them. */
  readonly unknown: readonly number[]
}

type Transition = { readonly at: number; readonly offset: number }

/** The largest 32-bit UNIX time: a transition at this time never happens. */
const never = 4_294_967_295

export function zoneOffsets(zones: readonly Zone[], from: number, to: number): ZoneOffsets {
  const atStart = [0]
  const rule = [1]
  const rules: Transition[][] = [[]]
  const ruleNumbers = new Map([['', 1]])
  const seen = new Set([0])
  const unknown: number[] = []
  for (const { id, name } of zones) {
    const offsets = offsetsBetween(name, from, to)
    if (offsets === null) {
      unknown.push(id)
      continue
    }
    const { start, inRange } = offsets
    atStart[id] = start
    seen.add(start)
    if (inRange.length === 0) {
      rule[id] = 1
      continue
    }
    const steps = inRange.map(({ at, offset }, index) => ({
      at,
      offset: offset - (inRange[index - 1]?.offset ?? start),
    }))
    const key = steps.map(({ at, offset }) => `${at}:${offset}`).join()
    if (!ruleNumbers.has(key)) ruleNumbers.set(key, rules.push(steps))
    rule[id] = ruleNumbers.get(key) ?? 1
    for (const { offset } of inRange) seen.add(offset)
  }
  const longest = Math.max(...rules.map((steps) => steps.length))
  return {
    // Zone numbers can have gaps. Queries read these arrays by index, so every gap needs a value.
    atStart: Array.from(atStart, (offset) => offset ?? 0),
    rule: Array.from(rule, (number) => number ?? 1),
    transitions: Array.from({ length: longest }, (_, index) => ({
      from: rules.map((steps) => steps[index]?.at ?? never),
      by: rules.map((steps) => steps[index]?.offset ?? 0),
    })),
    least: Math.min(...seen),
    greatest: Math.max(...seen),
    unknown,
  }
}

type Offsets = { readonly start: number; readonly inRange: readonly Transition[] }

function offsetsBetween(name: string, from: number, to: number): Offsets | null {
  const known = transitionsOf(name, to)
  if (known === null) return null
  const first = firstAfter(known, from)
  const last = firstAfter(known, to)
  return { start: known[first - 1]?.offset ?? 0, inRange: first === last ? [] : known.slice(first, last) }
}

/** Uses binary search, because there are six hundred lists, some with two hundred transitions. */
function firstAfter(transitions: readonly Transition[], instant: number): number {
  let [low, high] = [0, transitions.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((transitions[middle]?.at ?? never) > instant) high = middle
    else low = middle + 1
  }
  return low
}

/** The transitions of each zone, cached. Computing them for six hundred zones with Temporal takes longer than a small query. */
const found = new Map<string, { until: number; transitions: readonly Transition[] }>()

/** The cached lists reach a decade further than requested. So a request for a later range can use the same lists. */
const aheadSeconds = 10 * 366 * 86_400

/** Returns null for an unknown zone. */
function transitionsOf(name: string, until: number): readonly Transition[] | null {
  const present = found.get(name)
  if (present !== undefined && present.until >= until) return present.transitions
  const end = until + aheadSeconds
  const begin = beginningIn(name)
  if (begin === null) return null
  const transitions: Transition[] = [{ at: -never, offset: begin.offsetNanoseconds / 1e9 }]
  for (let next = begin.getTimeZoneTransition('next'); next !== null; next = next.getTimeZoneTransition('next')) {
    const at = next.epochMilliseconds / 1000
    if (at > end) break
    transitions.push({ at, offset: next.offsetNanoseconds / 1e9 })
  }
  found.set(name, { until: end, transitions })
  return transitions
}

/** The offset of a zone at an instant, in seconds; null for an unknown zone. */
export function offsetAt(name: string, now: Temporal.Instant): number | null {
  const second = Math.floor(now.epochMilliseconds / 1000)
  return offsetsBetween(name, second, second)?.start ?? null
}

function beginningIn(name: string): Temporal.ZonedDateTime | null {
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
