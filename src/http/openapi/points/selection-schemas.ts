import { limits } from '../../../base/limits.ts'
import {
  boundForms,
  conditionsMax,
  directions,
  ordersMax,
  type BoundForm,
} from '../../../check/metric/point-selection.ts'
import { topSchema } from './top-schema.ts'
import { absent, flag, has, integer, listOf, number, orNull, record, reference, text, type Schema } from '../schema.ts'

const aboutBounds: Readonly<Record<BoundForm, string>> = {
  atLeast: 'Keeps points whose number is equal or larger.',
  above: 'Keeps points whose number is larger.',
  atMost: 'Keeps points whose number is equal or smaller.',
  below: 'Keeps points whose number is smaller.',
}

const field = text('A number of the points, such as `agentCount`, `percentiles.95` or `comparison.difference`.')

/** An object with exactly one bound. */
const condition: Schema = {
  anyOf: boundForms.map((given) =>
    record(
      {
        field,
        ...Object.fromEntries(boundForms.map((name) => [name, name === given ? number(aboutBounds[name]) : absent])),
      },
      { optional: boundForms.filter((name) => name !== given) },
    ),
  ),
}

const order: Schema = record(
  {
    by: text('A split of the request, `dtime`, `aggregatedNumber`, or a number of the points.'),
    direction: orNull(text('Ascending or descending.', { enum: [...directions], default: 'asc' })),
  },
  { optional: ['direction'] },
)

/** The fields that divide a response into pages. */
export const pageFields: Readonly<Record<string, Schema>> = {
  limit: orNull(
    integer('Largest number of points or records in the response, after `having` and `order`.', {
      minimum: 1,
      maximum: limits.pointsMax,
    }),
  ),
  after: orNull(text('The cursor of a page: `meta.next` of the page before. Only with `limit`.')),
}

/** A cursor belongs to a request with a limit. */
export const afterWithoutLimit: Schema = {
  properties: { after: { type: 'string' }, limit: { type: 'null' } },
  required: ['after'],
}

/** The cursor in the description of a response. */
export const nextOfMeta: Schema = orNull(
  text('The cursor of the next page; null if there is none. Present if the request has `limit`.'),
)

/** The description of a page of stored results. */
export const pageMeta: Schema = record({ next: nextOfMeta })

/** The fields that select and order the series and the points of a response. */
export const pointSelection: Readonly<Record<string, Schema>> = {
  top: topSchema,
  having: orNull(
    listOf(condition, {
      description: 'Conditions that a point must meet. A point without the number does not meet the condition.',
      minItems: 1,
      maxItems: conditionsMax,
    }),
  ),
  order: orNull(
    listOf(order, {
      description:
        'Order of the points; the first entry comes first. Points without a value come last. Points that are equal are in the order of their splits and periods.',
      minItems: 1,
      maxItems: ordersMax,
    }),
  ),
  ...pageFields,
}

/** Raw points are not selected, but can be divided into pages. */
export const withoutSelection: Readonly<Record<string, Schema>> = Object.fromEntries(
  Object.keys(pointSelection).flatMap((name) => (name in pageFields ? [] : [[name, absent]])),
)

/** The field that adds totals to a response, and what a request with it cannot have. */
export const totals: Schema = orNull(
  flag('Adds the totals of the points to `meta`: over all splits, over the whole range, and over both.', {
    default: false,
  }),
)
export const contradictionsOfTotals: readonly Schema[] = [
  { allOf: [has('totals', { const: true }), has('compare', { type: 'object' })] },
]

const series: Schema = listOf(record({ metricData: listOf(reference('AggregatedPoint')) }))

/** The totals in `meta`. */
export const totalsOfMeta: Readonly<Record<'totals' | 'overall' | 'grand', Schema>> = {
  totals: { ...series, description: 'With `totals`: the points over all splits, one series for each metric.' },
  overall: { ...series, description: 'With `totals`: one point of the whole range for each series of `data`.' },
  grand: { ...series, description: 'With `totals`: one point over all splits and the whole range, for each metric.' },
}

/** What `meta` says about the selection. */
export const pointsOfMeta: Schema = record(
  {
    computed: integer('Number of points before `having` and `limit`.'),
    shown: integer('Number of points in the response.'),
  },
  { description: 'Present if the request has `having`, `order` or `limit`.' },
)
