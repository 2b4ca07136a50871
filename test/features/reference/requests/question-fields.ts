import { conditionsOf, numberTypes, presenceTypes, type Filter } from '../model/filters/filter.ts'
import type { MetricRequest } from '../model/request.ts'

/** The fields of the query language beyond lists of values, as a request can have them. */
const fields = {
  any: ({ filters }) => hasGroup('any', filters),
  all: ({ filters }) => hasGroup('all', filters),
  not: ({ filters }) => hasGroup('not', filters),
  text: ({ filters }) => hasType(['contains', 'starts_with', 'ends_with'], filters),
  matches: ({ filters }) => hasType(['matches'], filters),
  number: ({ filters }) => hasType(numberTypes, filters),
  presence: ({ filters }) => hasType(presenceTypes, filters),
  levels: ({ percentileLevels }) => percentileLevels !== undefined,
  histogram: ({ histogram }) => histogram !== undefined,
  emptyBuckets: ({ emptyBuckets }) => emptyBuckets === true,
  metrics: ({ metrics }) => metrics !== undefined,
  totals: ({ totals }) => totals === true,
  top: ({ top }) => top !== undefined,
  others: ({ top }) => top !== undefined && top.others !== false,
  having: ({ having }) => having !== undefined,
  order: ({ order }) => order !== undefined,
  limit: ({ limit }) => limit !== undefined,
} satisfies Record<string, (request: MetricRequest) => boolean>

export type QuestionField = keyof typeof fields

const questionFields = Object.keys(fields) as QuestionField[]

/** The fields of the query language that a request has. */
const questionFieldsOf = (request: MetricRequest): QuestionField[] =>
  questionFields.filter((name) => fields[name](request))

function hasGroup(key: 'any' | 'all' | 'not', filters: readonly Filter[] = []): boolean {
  return filters.some((filter) => {
    if (key in filter) return true
    if ('any' in filter) return hasGroup(key, filter.any)
    if ('all' in filter) return hasGroup(key, filter.all)
    return 'not' in filter && hasGroup(key, [filter.not])
  })
}

const hasType = (types: readonly string[], filters: readonly Filter[] = []): boolean =>
  conditionsOf(filters).some(({ filterType }) => types.includes(String(filterType)))

/** Counts how often each pair of these fields occurred in one request. */
export class Pairs {
  readonly #counts = new Map<string, number>()

  add(request: MetricRequest): void {
    const found = questionFieldsOf(request)
    for (const [place, one] of found.entries())
      for (const other of found.slice(place)) {
        const pair = pairOf(one, other)
        this.#counts.set(pair, (this.#counts.get(pair) ?? 0) + 1)
      }
  }

  /** The pairs of different fields that occurred less often than `least` times, without the fields to `ignore`. */
  rarerThan(least: number, ignore: readonly QuestionField[] = []): string[] {
    const wanted = questionFields.filter((name) => !ignore.includes(name))
    return wanted.flatMap((one, place) =>
      wanted.slice(place + 1).flatMap((other) => {
        const count = this.#count(one, other)
        return count < least ? [`${pairOf(one, other)}: ${count}`] : []
      }),
    )
  }

  /** One line for each field. The count of a field with itself is that of all requests with it. */
  table(): string {
    const width = Math.max(...questionFields.map(({ length }) => length)) + 1
    const cells = (values: readonly (string | number)[]): string =>
      values.map((value) => String(value).padStart(width)).join('')
    return [
      cells(['', ...questionFields]),
      ...questionFields.map((one, place) =>
        cells([one, ...questionFields.slice(0, place + 1).map((other) => this.#count(other, one))]),
      ),
    ].join('\n')
  }

  #count(one: QuestionField, other: QuestionField): number {
    return this.#counts.get(pairOf(one, other)) ?? 0
  }
}

function pairOf(one: QuestionField, other: QuestionField): string {
  return `${one} with ${other}`
}
