import type { Dice } from '../../../faults/dice.ts'
import { chance } from '../dataset/chances.ts'
import { isAboutAgents } from '../model/agent-points.ts'
import { secondText } from '../model/buckets.ts'
import { clockIds, usualPeak, windowsOf } from '../model/clock.ts'
import { dimensions, valueOf } from '../model/dimensions.ts'
import type { Dataset } from '../model/facts.ts'
import { dayMs } from '../model/local-time.ts'
import { filled } from '../model/presets.ts'
import { idsOf, type Filter } from '../model/filters/filter.ts'
import type { Asked, Compare, MetricRequest } from '../model/request.ts'
import { rightRules } from '../model/rules.ts'
import { rangeOf, type Sample } from '../model/select.ts'
import { Deck } from './deck.ts'
import type { KnownSamples } from './known-samples.ts'
import { newFilterDecks, rollFilter, type FilterDecks } from './filters/roll-filter.ts'

type Form = 'previous' | 'time' | 'filters' | 'split'
type Time = MetricRequest['time']

export type CompareDecks = { dice: Dice; forms: Deck<Form>; filterParts: FilterDecks }

export const newCompareDecks = (dice: Dice): CompareDecks => ({
  dice,
  forms: new Deck<Form>(dice, ['previous', 'time', 'filters', 'split']),
  filterParts: newFilterDecks(dice),
})

type Around = {
  dataset: Dataset
  known: KnownSamples
  /** The dimensions by which the metric can be filtered. */
  filters: readonly string[]
  bucketsMax: number
  /** Another form of the same range. */
  formsOf: (time: Time) => Time
}

/** The aggregations whose points can be compared with those of another range. */
const ofPeriods = ['daily', 'weekly', 'hour_of_day', 'day_of_week', 'day_of_month', 'total']

/** Adds a comparison to some aggregated requests. */
export function varyCompare(decks: CompareDecks, asked: Asked, anchor: Sample, around: Around): MetricRequest {
  const { dice } = decks
  if (asked.request.chartType === 'raw' || !chance(dice, 38)) return asked.request
  const request = chance(dice, 75) ? simplified(dice, asked.request) : asked.request
  const clockFilters = idsOf(request.filters ?? []).some(isClock)
  const fits = (form: Form): boolean => {
    if (form === 'split') return baseValues(request, anchor).length > 0
    if (form === 'filters') return !(request.normalised && clockFilters)
    return ofPeriods.includes(request.aggregation ?? '')
  }
  const form = decks.forms.draw(fits)
  if (!fits(form)) return request
  const options = rollOptions(dice, request, anchor)
  if (form === 'split') {
    const [split, base] = dice.pick(baseValues(request, anchor))
    return { ...request, compare: { split, base, ...options } }
  }
  if (form === 'filters') {
    return { ...request, compare: { filters: rollBaseFilters(decks, { ...asked, request }, around), ...options } }
  }
  const moved = rollRanges(dice, request, anchor, around.bucketsMax)
  const base: Compare = form === 'previous' ? { previous: true } : { time: around.formsOf(moved.base) }
  const compared = { ...request, time: around.formsOf(moved.time), compare: { ...base, ...options } }
  if (rangeOf(around.dataset, { ...asked, request: compared }, rightRules) !== null) return compared
  // Without any whole period the request would be invalid.
  const { wholePeriods: _whole, ...rest } = compared
  return rest
}

/**
 * The request with at most one split and with fewer filters. Then more points have several agents on both sides, and fewer
 * comparisons share the level. Dimensions that only some tests have stay, because few requests have them.
 */
function simplified(dice: Dice, given: MetricRequest): MetricRequest {
  const { wholePeriods, ...request } = given
  const { splits = [], filters = [] } = request
  const isRare = (id: string): boolean => dimensions[id]?.tests !== undefined
  const kept = splits.find(isRare) ?? splits.find((id) => !ofOneAgent.includes(id)) ?? splits[0]
  return {
    ...request,
    ...(wholePeriods === undefined ? (chance(dice, 40) ? { aggregation: 'total' as const } : {}) : { wholePeriods }),
    splits: kept === undefined ? [] : [kept],
    filters: filters.filter((filter) => idsOf([filter]).some(isRare)),
  }
}

/** Series by these dimensions have one or a few agents. */
const ofOneAgent = ['agent', 'unit']

const isClock = (id: string): boolean => clockIds.includes(id)

/** The values of the anchor by which a series can be named. */
function baseValues({ splits = [], ...request }: MetricRequest, { located }: Sample): [string, string][] {
  const { peak } = windowsOf(filled({ ...request, splits }), rightRules)
  return splits.flatMap((id): [string, string][] => {
    const value = valueOf(id, located, peak)
    return value === null ? [] : [[id, String(value)]]
  })
}

type Options = Pick<Compare, 'margin' | 'marginPercent' | 'alpha' | 'match'>

function rollOptions(dice: Dice, request: MetricRequest, { value }: Sample): Options {
  const canMatch = !request.normalised || isAboutAgents(filled(request))
  const margin = Number((Math.abs(value === 0 ? 1 : value) * (dice.between(1, 100) / 50)).toPrecision(6))
  return {
    ...dice.pick([{}, {}, { margin }, { marginPercent: dice.between(1, 120) / 2 }]),
    ...(chance(dice, 50) ? { alpha: dice.pick([0.0001, 0.1, 0.2, 0.4, 0.4]) } : {}),
    ...(canMatch && chance(dice, 40) ? { match: 'agents' as const } : {}),
  }
}

/** Filters of the base. They cannot be by the clock if the request is normalised. */
function rollBaseFilters(decks: CompareDecks, { organisation, request }: Asked, around: Around): Filter[] {
  const { dice } = decks
  const { metric, prefilter, normalised, splits = [], filters = [] } = request
  const { filter: window, peak } = windowsOf(filled(request), rightRules)
  const usesPeak = [...splits, ...idsOf(filters)].includes('peak')
  const isAllowed = (id: string): boolean =>
    !(normalised && isClock(id)) && !(id === 'peak' && window !== undefined && !usesPeak)
  const ids = around.filters.filter(isAllowed)
  const anchor = dice.pick(around.known.of(organisation, { metric, prefilter }))
  const own = { organisation, metric, anchor, peak: usesPeak ? peak : usualPeak }
  const chosen = [...new Set(Array.from({ length: dice.pick([0, 1, 1, 1, 2]) }, () => dice.pick(ids)))]
  return chosen.map((id) => rollFilter({ ...around, dice }, decks.filterParts, id, ids, own))
}

/** The range of the request around the anchor, and a range to compare it with. */
function rollRanges(
  dice: Dice,
  { aggregation, wholePeriods }: MetricRequest,
  { located: { localMs } }: Sample,
  bucketsMax: number,
): { time: Time; base: Time } {
  const unitDays = aggregation === 'weekly' ? 7 : 1
  const isOfPeriods = aggregation === 'weekly' || aggregation === 'daily'
  const unitsMax = isOfPeriods ? Math.max(1, Math.floor(bucketsMax)) : Infinity
  const days = unitDays * Math.min(unitsMax, dice.pick([1, 2, 4, 7, 14, 30, 60]))
  const fromMs = Math.floor(localMs / dayMs) * dayMs - dice.between(0, days - 1) * dayMs
  const toMs = fromMs + days * dayMs - 1000
  const shift = unitDays * dice.pick([1, 2, 7, 14, 30, 60, -1, -7, -30])
  // Ranges of whole days are necessary only if points are days or weeks. `wholePeriods` leaves out the rest of the range.
  const [rest, longer] = chance(dice, 50) ? [0, 0] : [dice.between(0, 50_000), dice.between(0, 50_000)]
  const [begin, end] = isOfPeriods ? [0, wholePeriods === true ? rest : 0] : [longer, rest]
  return {
    time: { from: text(fromMs), to: text(toMs + end * 1000) },
    base: {
      from: text(fromMs - shift * dayMs - begin * 1000),
      to: text(toMs - shift * dayMs + end * 1000),
    },
  }
}

const text = (localMs: number): string => secondText(localMs).replace('T', ' ')
