import { perAgentOf } from '../model/agent-points.ts'
import { metrics } from '../model/metrics.ts'
import { bounds, type Having } from '../model/selection/having.ts'
import { knownPresets } from '../model/presets.ts'
import { inclusionPairs, wantedPairs } from './inclusion-pairs.ts'
import { Pairs } from './question-fields.ts'
import { aggregations, pointFields, type Asked, type Data, type Point } from '../model/request.ts'
import { conditionsOf, depthOf, idsOf } from '../model/filters/filter.ts'
import { filterTypes } from './filters/roll-condition.ts'

const stepsText = ({ request: { normalised, prefilter } }: Asked): string =>
  `${normalised ? '' : 'not '}normalised, ${prefilter ? '' : 'not '}prefiltered`

/** Which intervals a request asks for, and whether it asks for their uncertainty. */
const intervalsText = ({ request: { intervals, include = [] } }: Asked): string =>
  [intervals ?? 'default', ...include.filter((one) => one === 'uncertainty')].join(' ')

const histogramText = ({ request: { histogram } }: Asked): string =>
  histogram === undefined ? 'none' : 'bins' in histogram ? 'log' : histogram.edges.length === 1 ? 'one edge' : 'edges'

const baseForms = ['previous', 'time', 'filters', 'split']

const compareText = ({ request: { compare } }: Asked): string =>
  baseForms.find((form) => form in (compare ?? {})) ?? 'none'

/** The features that a request uses, as pairs of kind and value. */
function touched(asked: Asked): [string, string][] {
  const {
    metric,
    chartType,
    aggregation,
    splits = [],
    filters = [],
    time,
    panel,
    wholePeriods,
    window,
    fields = [],
    having,
    order,
  } = asked.request
  return [
    ['metric', metric],
    ['chart type', chartType],
    ...(chartType === 'aggregate' ? [['aggregation', aggregation ?? ''] as [string, string]] : []),
    ['steps', stepsText(asked)],
    ...(chartType === 'aggregate' ? [['intervals', intervalsText(asked)] as [string, string]] : []),
    ...fields.map((field): [string, string] => ['field', field]),
    ...inclusionPairs(asked).map((pair): [string, string] => [pairs, pair]),
    ['agents', perAgentOf(asked.request)?.statistic ?? 'none'],
    ['reaching', Object.keys(asked.request.reaching ?? { none: 0 }).join()],
    ['percentiles', asked.request.percentiles ?? 'default'],
    ['levels', asked.request.percentileLevels === undefined ? 'default' : 'listed'],
    ['histogram', histogramText(asked)],
    ['preset', asked.request.preset ?? 'none'],
    ['compare', compareText(asked)],
    ...(having ?? []).map((condition): [string, string] => ['having', boundOf(condition)]),
    ...(order ?? []).map(({ direction = 'asc' }): [string, string] => ['order', direction]),
    ['match', asked.request.compare?.match ?? 'none'],
    ['number of splits', String(splits.length)],
    ...splits.map((id): [string, string] => ['split', id]),
    ...filters.flatMap((filter): [string, string][] => [
      ['filter group', Object.keys(filter).find((key) => groups.includes(key)) ?? 'none'],
      ['filter depth', String(depthOf(filter))],
    ]),
    ...conditionsOf(filters).flatMap(({ id, filterType }): [string, string][] => [
      ['filter', id],
      ['filter type', JSON.stringify(filterType)],
    ]),
    ['from', formOf(time.from)],
    ['to', formOf(time.to)],
    ['relative to', asked.request.relativeTo ?? 'nothing'],
    ['periods', wholePeriods === true ? 'only whole' : 'all'],
    [
      'window',
      Object.keys(window ?? {})
        .toSorted()
        .join(' and ') || 'none',
    ],
    ...([...splits, ...idsOf(filters)].includes('peak')
      ? [['peak', window === undefined ? 'default' : 'defined'] as [string, string]]
      : []),
    ['panel', Array.isArray(panel) ? 'list' : typeof panel === 'string' ? 'one' : 'all'],
    ['organisation', asked.organisation],
  ]
}

const boundOf = (condition: Having): string => bounds.find((bound) => bound in condition) ?? 'none'

const groups = ['any', 'all', 'not']

const forms: [string, RegExp][] = [
  ['+x days', /^\+.*days$/],
  ['-x days', /^-.*days$/],
  ['now', /^now$/],
  ['a day', /^.{10}$/],
  ['with Z', /Z$/],
  ['in digits', /^\d+$/],
  ['to the minute', /^.{16}$/],
]

const formOf = (time: string | number): string =>
  typeof time === 'number' ? 'a number' : (forms.find(([, form]) => form.test(time))?.[0] ?? 'to the second')

/** The forms that either end of a range must have often enough. */
const formsWanted = ['-x days', 'a day', 'with Z', 'in digits', 'a number', 'to the minute', 'to the second']

const pairs = 'addition'

/** Of each of these features, fewer requests are enough. */
const enoughOf: Readonly<Record<string, number>> = { [pairs]: 3, preset: 1 }

const verdictText = ({ comparison }: Point): string =>
  (comparison as { verdict?: string } | null)?.verdict ?? 'without a base'

/** True if an explained prefilter excludes every result of the point. */
const isEmptied = ({ prefilter }: Point): boolean => {
  const { before, removed } = (prefilter ?? {}) as { before?: number; removed?: number }
  return before !== undefined && before === removed
}

/** Counts how often each feature of requests occurred. */
export class Coverage {
  readonly pairs = new Pairs()
  readonly #counts = new Map<string, Map<string, number>>()
  #requests = 0
  #withPoints = 0
  #points = 0
  #emptied = 0
  readonly #metricsWithPoints = new Set<string>()

  add(asked: Asked, answer: Data): void {
    const points = answer.reduce((sum, { metricData }) => sum + metricData.length, 0)
    this.#requests += 1
    this.#withPoints += Number(points > 0)
    this.#points += points
    this.#emptied += answer.reduce((sum, { metricData }) => sum + metricData.filter(isEmptied).length, 0)
    if (points > 0) this.#metricsWithPoints.add(asked.request.metric)
    this.pairs.add(asked.request)
    for (const [what, which] of touched(asked)) this.#count(what, which)
    if (asked.request.compare === undefined) return
    for (const { metricData } of answer) for (const point of metricData) this.#count('verdict', verdictText(point))
  }

  #count(what: string, which: string): void {
    const counts = this.#counts.get(what) ?? new Map<string, number>()
    this.#counts.set(what, counts)
    counts.set(which, (counts.get(which) ?? 0) + 1)
  }

  /** The proportion of requests that found at least one point. */
  get shareWithPoints(): number {
    return this.#withPoints / this.#requests
  }

  /** The number of points of which an explained prefilter excludes every result. */
  get emptiedPoints(): number {
    return this.#emptied
  }

  /**
   * The metrics for which no request found a point. The comparison says nothing about the values of these metrics, for
   * example because the dataset lacks their column.
   */
  get metricsWithoutPoints(): string[] {
    return Object.keys(metrics).filter((key) => !this.#metricsWithPoints.has(key))
  }

  /** The features that occurred less often than `least` times. */
  rarerThan(least: number, dimensions: readonly string[]): string[] {
    const wanted: Record<string, readonly string[]> = {
      metric: Object.keys(metrics),
      aggregation: aggregations,
      'chart type': ['raw', 'aggregate'],
      'filter type': filterTypes.map((type) => JSON.stringify(type)),
      'filter group': [...groups, 'none'],
      'filter depth': ['0', '1', '2', '3', '4', '5'],
      'number of splits': ['0', '1', '2', '3', '4'],
      steps: [true, false].flatMap((normalised) =>
        [true, false].map((prefilter) => stepsText({ request: { normalised, prefilter } } as Asked)),
      ),
      intervals: ['default', 'agents', 'results'].flatMap((intervals) => [intervals, `${intervals} uncertainty`]),
      field: pointFields,
      levels: ['default', 'listed'],
      histogram: ['none', 'log', 'one edge', 'edges'],
      from: formsWanted,
      to: formsWanted,
      periods: ['only whole', 'all'],
      [pairs]: wantedPairs,
      'relative to': ['plan', 'nothing'],
      window: ['none', 'weekdays', 'hours', 'hours and weekdays'],
      peak: ['default', 'defined'],
      compare: [...baseForms, 'none'],
      match: ['agents', 'none'],
      preset: knownPresets.map(({ key }) => key),
      split: dimensions,
      filter: dimensions,
    }
    const enough = (what: string): number => Math.min(least, enoughOf[what] ?? least)
    return Object.entries(wanted).flatMap(([what, all]) =>
      all
        .filter((which) => (this.#counts.get(what)?.get(which) ?? 0) < enough(what))
        .map((which) => `${what} ${which}: ${this.#counts.get(what)?.get(which) ?? 0}`),
    )
  }

  table(): string {
    const lines = [...this.#counts].map(
      ([what, counts]) =>
        `  ${what}: ${[...counts]
          .toSorted(([one], [other]) => (one < other ? -1 : 1))
          .map(([which, count]) => `${which} ${count}`)
          .join(', ')}`,
    )
    const found = `${this.#withPoints} of ${this.#requests} requests found ${this.#points} points, ${this.#emptied} of them without a result that the prefilter keeps`
    return [found, ...lines, '  pairs of the fields of the query language:', this.pairs.table()].join('\n')
  }
}
