import type { Aggregation } from '../../../catalog/aggregations.ts'
import type { DimensionSource } from '../../../catalog/dimensions.ts'
import {
  clockNumberAt,
  clockTextAt,
  hoursOfWeek,
  isInWindow,
  weekdays,
  type ClockElement,
  type WeekHour,
} from '../../../catalog/local-window.ts'
import type { Schedule } from '../../../catalog/schedules.ts'
import { leavesOf, type FilterTree } from '../../../check/metric/filters/filter-tree.ts'
import type { ResolvedLeaf } from '../filter-condition.ts'
import type { MetricPlan } from '../metric-plan.ts'

/**
 * The parts of a request that depend on the local time of results: its window, and its splits and filters by hour, day or
 * `peak`.
 */
export type ClockTerms = {
  readonly window?: MetricPlan['window']
  readonly splits: readonly { readonly source: DimensionSource }[]
  readonly filters: readonly FilterTree<Leaf>[]
}

type Leaf = Pick<ResolvedLeaf, 'kind' | 'type' | 'values'> & {
  readonly dimension: { readonly source: DimensionSource }
}

export const anyTime: ClockTerms = { splits: [], filters: [] }

type Clock = { readonly kind: 'clock' } & ClockElement
export const isClock = (source: DimensionSource): source is Clock => source.kind === 'clock'

/** Returns the splits by local time. `index` is the position of the split among all splits of the request. */
export const clockSplits = ({ splits }: ClockTerms): readonly { readonly clock: Clock; readonly index: number }[] =>
  splits.flatMap(({ source }, index) => (isClock(source) ? [{ clock: source, index }] : []))

/** True if only some hours of the week can have results in each series. */
export const dependsOnClock = (terms: ClockTerms): boolean =>
  terms.window !== undefined ||
  clockSplits(terms).length > 0 ||
  leavesOf(terms.filters).some(({ dimension }) => isClock(dimension.source))

/** Returns the hours of the week from which a request can have results. */
export const allowedHours = ({ window, filters }: ClockTerms): readonly WeekHour[] =>
  hoursOfWeek.filter(
    (at) =>
      (window === undefined || isInWindow(window, at)) && filters.every((filter) => outcomeAt(filter, at) !== false),
  )

/** Returns whether the results of an hour match a filter; null if that depends on other dimensions of the results. */
function outcomeAt(filter: FilterTree<Leaf>, at: WeekHour): boolean | null {
  if (filter.kind === 'leaf') {
    const { source } = filter.dimension
    return isClock(source) ? filter.values.includes(clockTextAt(source, at)) === (filter.type === 'include') : null
  }
  if (filter.kind === 'not') {
    const outcome = outcomeAt(filter.of, at)
    return outcome === null ? null : !outcome
  }
  const outcomes = new Set(filter.of.map((one) => outcomeAt(one, at)))
  const deciding = filter.kind === 'any'
  if (outcomes.has(deciding)) return deciding
  return outcomes.has(null) ? null : !deciding
}

export const blockOf = (schedule: Schedule, hour: number): number => schedule.findLastIndex((start) => start <= hour)

/**
 * A number of hours for each hour of the day (`of` is `day`, and `hours` has 24 numbers) or for each hour of the week (`of` is
 * `week`, and `hours` has 168 numbers). The number says how many hours of the hour's schedule block count.
 */
export type BlockHours = { readonly of: 'day' | 'week'; readonly hours: readonly number[] }

/**
 * Returns, for each hour, how many hours of its schedule block are in its bucket and can have results in its series. If all
 * days of the week give the same numbers, returns them once, by hour of the day. Otherwise returns numbers by hour of the
 * week. If a bucket then contains results of several days of the week, the numbers include the hours of all these days.
 */
export function blockHours(
  schedule: Schedule,
  aggregation: Pick<Aggregation, 'hours'> & Partial<Pick<Aggregation, 'key'>>,
  terms: ClockTerms,
): BlockHours {
  const length = aggregation.hours ?? 24
  const splits = clockSplits(terms)
  const allowed = allowedHours(terms)
  const placeOf = (at: WeekHour, isOfDay: boolean): string =>
    [
      blockOf(schedule, at.hour),
      Math.floor(at.hour / length),
      isOfDay ? at.weekday : '',
      ...splits.map(({ clock }) => clockNumberAt(clock, at)),
    ].join()
  const counted = (isOfDay: boolean): number[] => {
    const sizes = Map.groupBy(allowed, (at) => placeOf(at, isOfDay))
    const isAllowed = new Set(allowed)
    return hoursOfWeek.map((at) => (isAllowed.has(at) ? (sizes.get(placeOf(at, isOfDay))?.length ?? 0) : 0))
  }
  const ofDay = counted(true)
  // Two days of the week are equal if each of their hours has the same number of block hours and the same split values. A
  // split by `day_of_week` is not compared, because each of its series contains only one day of the week.
  const alike = hoursOfWeek.map((at, index) => {
    const series = splits.filter(({ clock }) => clock.element !== 'day_of_week')
    return ofDay[index] === 0 ? '' : [ofDay[index], ...series.map(({ clock }) => clockNumberAt(clock, at))].join()
  })
  const days = weekdays.map((weekday) => dayOf(alike, weekday)).filter((day) => day.some((hour) => hour !== ''))
  if (new Set(days.map((day) => day.join(' '))).size <= 1) {
    const first = weekdays.find((weekday) => dayOf(ofDay, weekday).some((count) => count > 0)) ?? 1
    return { of: 'day', hours: dayOf(ofDay, first) }
  }
  return { of: 'week', hours: isOfOneWeekday(aggregation) ? ofDay : counted(false) }
}

const dayOf = <Item>(week: readonly Item[], weekday: number): readonly Item[] =>
  week.slice(24 * (weekday - 1), 24 * weekday)

/** True if all results of a bucket are from the same day of the week. */
const isOfOneWeekday = ({ key, hours }: { hours: number | null; key?: Aggregation['key'] }): boolean =>
  (hours !== null && key !== 'hour_of_day') || key === 'daily' || key === 'day_of_week'
