import { limits } from '../../../base/limits.ts'
import {
  boundForms,
  conditionsMax,
  directions,
  ordersMax,
  type BoundForm,
} from '../../../check/metric/point-selection.ts'
import { absent, integer, listOf, number, orNull, record, text, type Schema } from '../schema.ts'

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

/** The fields that select and order the points of a response. */
export const pointSelection: Readonly<Record<string, Schema>> = {
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
  limit: orNull(
    integer('Largest number of points, after `having` and `order`.', { minimum: 1, maximum: limits.pointsMax }),
  ),
}

/** Raw points and files cannot be selected. */
export const withoutSelection: Readonly<Record<string, Schema>> = Object.fromEntries(
  Object.keys(pointSelection).map((name) => [name, absent]),
)

/** What `meta` says about the selection. */
export const pointsOfMeta: Schema = record(
  {
    computed: integer('Number of points before `having` and `limit`.'),
    shown: integer('Number of points in the response.'),
  },
  { description: 'Present if the request has `having`, `order` or `limit`.' },
)
