import { bucketOf, type Bucket } from '../buckets.ts'
import { windowsOf } from '../clock.ts'
import { valueOf } from '../dimensions.ts'
import type { Dataset } from '../facts.ts'
import { keepsBy } from '../filters/keeps-by.ts'
import { requestedMs, type Located } from '../local-time.ts'
import { metrics } from '../metrics.ts'
import { relativeSamples } from '../plans.ts'
import type { Asked, Compare, MetricRequest } from '../request.ts'
import type { Rules } from '../rules.ts'
import { isKept, samplesIn, type Range, type Sample } from '../select.ts'
import { compared, type Comparison } from './compared.ts'
import { agentsOf, sideOf } from './side.ts'

/** The member `comparison` of a point from its samples, if the request asks for it. It is not adjusted yet. */
export type ComparisonOf = (bucket: Bucket, members: readonly Sample[]) => { comparison?: Comparison | null }

/** What a series is compared with. */
type Base = {
  samples: readonly Sample[]
  /** The local time of the point with which a result of the base is compared. */
  placeOf: (located: Located) => number
  /** The split that does not have to be equal. */
  split?: string
  /** True for the series that the others are compared with. It is not compared with itself. */
  isBase: (located: Located) => boolean
}

/**
 * `samples` are those of the request, and `range` is its range after `wholePeriods` has narrowed it. `isOfBase` is false for
 * results with which no point is compared.
 */
export function comparisonsOf(
  dataset: Dataset,
  asked: Asked,
  samples: readonly Sample[],
  range: Range,
  rules: Rules,
  isOfBase: (located: Located) => boolean = () => true,
): ComparisonOf {
  const { request } = asked
  const { compare, aggregation, splits = [] } = request
  if (compare === undefined || aggregation === undefined) return () => ({})
  const base = baseOf(dataset, asked, compare, samples, range, rules)
  const withBase = { ...request, compare }
  const { peak } = windowsOf(request, rules)
  const equal = splits.filter((id) => id !== base.split)
  const keyOf = (located: Located, bucket: Bucket['key']): string =>
    JSON.stringify([bucket, ...equal.map((id) => valueOf(id, located, peak))])
  const members = Map.groupBy(
    base.samples.filter((sample) => isKept(sample) && isOfBase(sample.located)),
    ({ located }) => keyOf(located, bucketOf(base.placeOf(located), aggregation, rules).key),
  )
  return (bucket, own) => {
    const [first] = own
    if (first === undefined || base.isBase(first.located)) return { comparison: null }
    const other = members.get(keyOf(first.located, bucket.key)) ?? []
    return { comparison: comparisonOf(own.filter(isKept), other, withBase, bucket, rules) }
  }
}

function comparisonOf(
  own: readonly Sample[],
  base: readonly Sample[],
  request: MetricRequest & { compare: Compare },
  { hours }: Bucket,
  rules: Rules,
): Comparison | null {
  const metric = metrics[request.metric]
  if (metric === undefined) throw new Error(`no metric ${request.metric}`)
  const [ownAgents, baseAgents] = [own, base].map((samples) => agentsOf(samples, metric, request, hours, rules)) as [
    Set<unknown>,
    Set<unknown>,
  ]
  const isMatched = request.compare.match === 'agents' && rules.matchedAgents === 'on both sides'
  const shared = ownAgents.intersection(baseAgents)
  const [left, right] = isMatched ? [shared, shared] : [ownAgents, baseAgents]
  if (left.size === 0 || right.size === 0) return null
  const of = sideOf(metric, request, hours, rules)
  const only = (samples: readonly Sample[], agents: Set<unknown>): Sample[] =>
    samples.filter(({ located }) => agents.has(located.result.agent))
  return compared(of(only(own, left)), of(only(base, right)), request.compare, rules)
}

function baseOf(
  dataset: Dataset,
  asked: Asked,
  compare: Compare,
  samples: readonly Sample[],
  range: Range,
  rules: Rules,
): Base {
  const { request } = asked
  const ownPlace = ({ localMs }: Located): number => localMs
  if ('split' in compare) {
    const { peak } = windowsOf(request, rules)
    const filter = { id: compare.split, filterType: 'include', filterValues: [String(compare.base)] }
    const isBase = keepsBy(filter, dataset, peak, rules)
    return {
      samples: samples.filter(({ located }) => isBase(located)),
      placeOf: ownPlace,
      split: compare.split,
      isBase,
    }
  }
  const find = (own: Pick<Range, 'fromMs' | 'toMs'>, filters = request.filters ?? []): Sample[] =>
    relativeSamples(dataset, samplesIn(dataset, asked, own, filters, rules), request, rules).samples
  const isBase = (): boolean => false
  if ('filters' in compare) return { samples: find(range, compare.filters), placeOf: ownPlace, isBase }
  const base = rangeOfBase(asked, compare, range, rules)
  // A day or a week is compared with that at the same place in the base. Other buckets are those of the clock.
  const isMoved = ['daily', 'weekly'].includes(request.aggregation ?? '') && rules.baseBuckets === 'at the same place'
  const shiftMs = isMoved ? range.fromMs - base.fromMs : 0
  return { samples: find(base), placeOf: ({ localMs }) => localMs + shiftMs, isBase }
}

/** The range of the base. `wholePeriods` narrows it like that of the request. */
function rangeOfBase(
  { now, request }: Asked,
  compare: Compare,
  { fromMs, toMs }: Range,
  rules: Rules,
): Pick<Range, 'fromMs' | 'toMs'> {
  if (!('time' in compare)) return { fromMs: fromMs - (toMs - fromMs + 1000), toMs: fromMs - 1000 }
  const asked = (time: MetricRequest['time']): Pick<Range, 'fromMs' | 'toMs'> => ({
    fromMs: requestedMs(time.from, 'from', now, rules),
    toMs: requestedMs(time.to, 'to', now, rules),
  })
  const given = asked(compare.time)
  if (request.wholePeriods !== true) return given
  const shiftMs = asked(request.time).fromMs - given.fromMs
  return { fromMs: fromMs - shiftMs, toMs: toMs - shiftMs }
}
