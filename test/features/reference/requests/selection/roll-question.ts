import type { Dice } from '../../../../faults/dice.ts'
import { chance } from '../../dataset/chances.ts'
import { perAgentOf } from '../../model/agent-points.ts'
import { bucketsIn } from '../../model/buckets.ts'
import { clockIds, week } from '../../model/clock.ts'
import type { Dataset } from '../../model/facts.ts'
import { idsOf } from '../../model/filters/filter.ts'
import { metrics } from '../../model/metrics.ts'
import { relativeSamples } from '../../model/plans.ts'
import { filled, knownPresets } from '../../model/presets.ts'
import { usualLevels } from '../../model/percentiles.ts'
import type { Asked, MetricRequest, PointField } from '../../model/request.ts'
import { rightRules } from '../../model/rules.ts'
import { rangeOf, samplesOf } from '../../model/select.ts'
import { combinationsOf } from '../../model/splits/combinations.ts'
import type { QuestionField } from '../question-fields.ts'
import type { Askable } from '../roll-requests.ts'

/** The fields that the service does not have yet. Requests do not use them. */
export const unbuilt: readonly QuestionField[] = []

const isBuilt = (field: QuestionField): boolean => !unbuilt.includes(field)

/** A response with points for empty periods has at most this many points. */
const pointsMax = 4_000

/** Adds the fields that change which points a response has to some aggregated requests. */
export function rollQuestion(dice: Dice, dataset: Dataset, asked: Asked, askable: Askable): MetricRequest {
  const { request } = asked
  if (request.chartType === 'raw') return request
  const emptyBuckets = isBuilt('emptyBuckets') && request.aggregation !== 'total' && chance(dice, 20)
  const several = isBuilt('metrics') && chance(dice, 15) ? rollMetrics(dice, asked, askable) : {}
  const rolled = {
    ...several,
    ...(isBuilt('totals') && request.compare === undefined && chance(dice, 18) ? { totals: true } : {}),
    // Few requests have several metrics, so more of these have a top.
    ...(isBuilt('top') && chance(dice, 'metrics' in several ? 60 : 30) ? rollTop(dice, request, emptyBuckets) : {}),
    ...(emptyBuckets ? { emptyBuckets } : {}),
  }
  const question = { ...request, ...rolled }
  if (question.emptyBuckets !== true || pointsAtMost(dataset, { ...asked, request: question }) <= pointsMax)
    return question
  const { emptyBuckets: _, ...fewer } = question
  return fewer
}

/** The number of points if every series has every bucket. */
function pointsAtMost(dataset: Dataset, given: Asked): number {
  const asked = { ...given, request: filled(given.request) }
  const { request } = asked
  const range = rangeOf(dataset, asked, rightRules)
  if (range === null || request.aggregation === undefined) return 0
  const members = relativeSamples(dataset, samplesOf(dataset, asked, rightRules), request, rightRules)
  const series = combinationsOf(members, request, rightRules).length * (request.metrics?.length ?? 1)
  return series * bucketsIn(range, request.aggregation, week, rightRules).length
}

/** The metric of the request and others that take its splits, filters and statistics. */
function rollMetrics(
  dice: Dice,
  { organisation, request }: Asked,
  askable: Askable,
): Pick<MetricRequest, 'metric' | 'metrics'> {
  const used = [...(request.splits ?? []), ...idsOf(request.filters ?? [])]
  const ofBase = request.compare !== undefined && 'filters' in request.compare ? idsOf(request.compare.filters) : []
  const { relativeTo, ...rest } = filled(request)
  const preset = knownPresets.find(({ key }) => key === request.preset)
  const needsValue = (perAgentOf({ ...rest })?.statistic ?? 'mean') !== 'mean'
  const fits = (key: string): boolean => {
    const metric = metrics[key]
    if (metric === undefined) return false
    const { splits, filters } = askable(organisation, key)
    const isOfPreset =
      preset === undefined || (preset.metrics === 'speeds' ? metric.plan !== undefined : preset.metrics.includes(key))
    return (
      isOfPreset &&
      [...used, ...ofBase].every((id) => splits.includes(id) && filters.includes(id)) &&
      !(needsValue && 'ratio' in metric) &&
      (relativeTo === undefined || metric.plan !== undefined)
    )
  }
  const own = metrics[request.metric]?.test
  const fitting = Object.keys(metrics).filter((key) => key !== request.metric && fits(key))
  const related = fitting.filter((key) => metrics[key]?.test === own)
  const chosen = Array.from({ length: dice.pick([0, 1, 1, 1, 1, 2, 3]) }, () => {
    const source = related.length > 0 && chance(dice, 60) ? related : fitting
    return source.length === 0 ? request.metric : dice.pick(source)
  })
  const all = [...new Set([request.metric, ...chosen])]
  return { metric: request.metric, metrics: chance(dice, 50) ? all : all.toReversed() }
}

/** A top series by a number that the points have, or none. */
function rollTop(dice: Dice, request: MetricRequest, emptyBuckets: boolean): Pick<MetricRequest, 'top'> {
  const { splits = [], fields, percentiles, percentileLevels, normalised, include = [], compare } = request
  if (splits.length === 0 || (compare !== undefined && 'split' in compare)) return {}
  const numbers: PointField[] = ['metricValue', 'metricValue', 'sampleCount', 'agentCount', 'max', 'min', 'stdDev']
  const names = numbers.concat(percentiles === 'none' ? [] : ['median', 'percentiles'])
  const shown = names.filter((name) => fields?.includes(name) ?? true)
  const name = dice.pick(shown)
  if (name === undefined) return {}
  // The hours of other results are not known before the query.
  const needsHours =
    splits.some((id) => clockIds.includes(id)) && (normalised || emptyBuckets || include.includes('coverage'))
  const by = name === 'percentiles' ? `percentiles.${dice.pick(percentileLevels ?? usualLevels)}` : name
  const others =
    needsHours || !isBuilt('others') ? { others: false } : dice.pick([{}, {}, { others: true }, { others: false }])
  return {
    top: {
      n: dice.pick([1, 1, 2, 3, 5, 20]),
      ...(name === 'metricValue' && chance(dice, 40) ? {} : { by }),
      ...dice.pick([{}, { direction: 'desc' }, { direction: 'asc' }]),
      ...others,
    },
  }
}
