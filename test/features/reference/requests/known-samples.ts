import { valueOf } from '../model/dimensions.ts'
import type { Cell, Dataset } from '../model/facts.ts'
import type { MetricRequest } from '../model/request.ts'
import { rightRules } from '../model/rules.ts'
import { samplesOf, type Sample } from '../model/select.ts'

/** The samples of the dataset. The generator chooses requests around them, so that most requests find something. */
export class KnownSamples {
  readonly #dataset: Dataset
  readonly #samples = new Map<string, readonly Sample[]>()
  readonly #combinations = new Map<string, ReadonlySet<string>>()
  readonly #values = new Map<string, readonly Cell[]>()

  constructor(dataset: Dataset) {
    this.#dataset = dataset
  }

  /** All samples of a metric that an organisation may see. */
  of(organisation: string, { metric, prefilter }: Pick<MetricRequest, 'metric' | 'prefilter'>): readonly Sample[] {
    return kept(this.#samples, `${organisation} ${metric} ${prefilter}`, () =>
      samplesOf(
        this.#dataset,
        {
          organisation,
          now: Temporal.Instant.from('2021-01-01T00:00Z'),
          request: { ...wide, metric, prefilter },
        },
        rightRules,
      ),
    )
  }

  /** The number of groups if all samples of the metric are split as in the request. */
  groups(organisation: string, request: MetricRequest): number {
    const { splits = [] } = request
    const key = `${organisation} ${request.metric} ${splits.toSorted().join('|')}`
    return kept(this.#combinations, key, () => {
      const all = this.of(organisation, { ...request, prefilter: false })
      return new Set(all.map(({ located }) => JSON.stringify(splits.map((id) => valueOf(id, located)))))
    }).size
  }

  /** The distinct values that a dimension has in these samples. */
  values(organisation: string, metric: string, id: string): readonly Cell[] {
    return kept(this.#values, `${organisation} ${metric} ${id}`, () => {
      const all = this.of(organisation, { metric, prefilter: false })
      return [...new Set(all.map(({ located }) => valueOf(id, located)))]
    })
  }
}

const wide: Omit<MetricRequest, 'metric' | 'prefilter'> = {
  chartType: 'raw',
  normalised: false,
  time: { from: '1971-01-01 00:00', to: '2099-01-01 00:00' },
}

function kept<Value>(known: Map<string, Value>, key: string, make: () => Value): Value {
  const value = known.get(key) ?? make()
  known.set(key, value)
  return value
}
