/** A time zone by its number in the metadata timeline. */
export type Zone = { readonly id: number; readonly name: string }

/** Seconds east of UTC for every zone over a range of time, in the form in which a query looks them up. */
export type ZoneOffsets = {
  /** By number of the zone: its offset at the start of the range. Number 0, no zone known, is UTC. */
  readonly atStart: readonly number[]
  /** By number of the zone: which of the lists below holds its transitions. Zones that change together share one. */
  readonly rule: readonly number[]
  /** First, second … transition by rule: from which second of UTC on, and by how much. */
  readonly transitions: readonly { readonly from: readonly number[]; readonly by: readonly number[] }[]
  readonly least: number
  readonly greatest: number
  /** Numbers of zones that this copy does not know, because it is older than the one that added them. */
  readonly unknown: readonly number[]
}

type Transition = { readonly at: number; readonly offset: number }

/** Past the last second an engine's 32-bit time can hold. */
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
    // Numbers may have gaps, and a query looks up by position.
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

/** By halves: there are six hundred lists, some of them of two hundred. */
function firstAfter(transitions: readonly Transition[], instant: number): number {
  let [low, high] = [0, transitions.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((transitions[middle]?.at ?? never) > instant) high = middle
    else low = middle + 1
  }
  return low
}

/** What has been worked out, by zone: asking Temporal for six hundred zones takes longer than a small query. */
const found = new Map<string, { until: number; transitions: readonly Transition[] }>()

/** A decade ahead, so that the list is not worked out anew for every later range. */
const aheadSeconds = 10 * 366 * 86_400

/** Null where the zone is not known. */
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

function beginningIn(name: string): Temporal.ZonedDateTime | null {
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
