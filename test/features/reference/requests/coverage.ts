import { metrics } from '../model/metrics.ts'
import { aggregations, type Asked, type Data } from '../model/request.ts'
import { filterTypes } from './roll-filters.ts'

const stepsText = ({ request: { normalised, prefilter } }: Asked): string =>
  `${normalised ? '' : 'not '}normalised, ${prefilter ? '' : 'not '}prefiltered`

/** What a request touches; each as often as it came up. */
function touched(asked: Asked): [string, string][] {
  const { metric, chartType, aggregation, splits = [], filters = [], time, panel } = asked.request
  return [
    ['metric', metric],
    ['chart type', chartType],
    ...(chartType === 'aggregate' ? [['aggregation', aggregation ?? ''] as [string, string]] : []),
    ['steps', stepsText(asked)],
    ['number of splits', String(splits.length)],
    ...splits.map((id): [string, string] => ['split', id]),
    ...filters.flatMap(({ id, filterType }): [string, string][] => [
      ['filter', id],
      ['filter type', JSON.stringify(filterType)],
    ]),
    ['from', formOf(time.from)],
    ['to', formOf(time.to)],
    ['panel', Array.isArray(panel) ? 'list' : typeof panel === 'string' ? 'one' : 'all'],
    ['organisation', asked.organisation],
  ]
}

const formOf = (text: string): string =>
  text === 'now'
    ? 'now'
    : text.endsWith('days')
      ? `${text[0]}x days`
      : text.length === 16
        ? 'to the minute'
        : 'to the second'

/** How often everything came up that has to come up. */
export class Coverage {
  readonly #counts = new Map<string, Map<string, number>>()
  #requests = 0
  #withPoints = 0
  #points = 0

  add(asked: Asked, answer: Data): void {
    const points = answer.reduce((sum, { metricData }) => sum + metricData.length, 0)
    this.#requests += 1
    this.#withPoints += Number(points > 0)
    this.#points += points
    for (const [what, which] of touched(asked)) {
      const counts = this.#counts.get(what) ?? new Map<string, number>()
      this.#counts.set(what, counts)
      counts.set(which, (counts.get(which) ?? 0) + 1)
    }
  }

  /** Of all requests, those that found something. */
  get shareWithPoints(): number {
    return this.#withPoints / this.#requests
  }

  /** What came up less often than wanted. */
  rarerThan(least: number, dimensions: readonly string[]): string[] {
    const wanted: Record<string, readonly string[]> = {
      metric: Object.keys(metrics),
      aggregation: aggregations,
      'chart type': ['raw', 'aggregate'],
      'filter type': filterTypes.map((type) => JSON.stringify(type)),
      'number of splits': ['0', '1', '2', '3', '4'],
      steps: [true, false].flatMap((normalised) =>
        [true, false].map((prefilter) => stepsText({ request: { normalised, prefilter } } as Asked)),
      ),
      split: dimensions,
      filter: dimensions,
    }
    return Object.entries(wanted).flatMap(([what, all]) =>
      all
        .filter((which) => (this.#counts.get(what)?.get(which) ?? 0) < least)
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
    const found = `${this.#withPoints} of ${this.#requests} requests found ${this.#points} points`
    return [found, ...lines].join('\n')
  }
}
