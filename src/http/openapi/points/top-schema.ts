import { directions } from '../../../check/metric/point-selection.ts'
import { topMax } from '../../../check/metric/series/top.ts'
import { flag, integer, orNull, record, text, type Schema } from '../schema.ts'

/** The field that selects series. */
export const topSchema: Schema = orNull(
  record(
    {
      n: integer('Number of series to keep.', { minimum: 1, maximum: topMax }),
      by: orNull(
        text('A field of the points, or a percentile such as `percentiles.95`: of the total over the whole range.', {
          default: 'metricValue',
        }),
      ),
      direction: orNull(
        text('Whether the series with the largest or with the smallest values are kept.', {
          enum: [...directions],
          default: 'desc',
        }),
      ),
      others: orNull(flag('Whether all other results are one more series.', { default: true })),
    },
    {
      optional: ['by', 'direction', 'others'],
      description: 'Keeps the first series, ordered by their totals over the whole range. Only with splits.',
    },
  ),
)

/** `top` needs a split. */
export const topWithoutSplits: readonly Schema[] = [
  {
    required: ['top'],
    properties: { top: { type: 'object' }, splits: { anyOf: [{ type: 'null' }, { maxItems: 0 }] } },
  },
]
