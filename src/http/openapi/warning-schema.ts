import { warningCodes } from '../../base/warning.ts'
import { warningsMax } from '../../envelope/warnings.ts'
import { listOf, record, reference, text, type Schema } from './schema.ts'

const aboutCodes =
  '`unknown_filter_value`: no agent or result that you can see has the value of the filter. `range_beyond_data`: the range begins before the first day with results or ends after the last. `panels_pooled`: the points pool panels that the request does not name. `more_warnings`: there are more warnings than the response contains.'

export const warningSchema = record(
  {
    code: text(aboutCodes, { enum: [...warningCodes] }),
    message: text('Human-readable text.'),
    id: text('Id of the filter.'),
    value: text('Value of the filter. A long value is shortened.'),
    firstDay: text('First UTC day with results.', { format: 'date' }),
    lastDay: text('Last UTC day with results.', { format: 'date' }),
    test: text('Key of the test, if the metrics of the request are of several tests.'),
    panels: listOf(text('Key of a panel.')),
  },
  { optional: ['id', 'value', 'firstDay', 'lastDay', 'test', 'panels'] },
)

/** Schema of `warnings`, which is beside `data`. In responses about an export it is inside `data`. */
export const warnings: Schema = listOf(reference('Warning'), {
  description: 'Warnings about the request or its result. Absent if there are none.',
  minItems: 1,
  maxItems: warningsMax + 1,
})

/** A streamed response has its warnings in this header. */
export const warningsHeader: Schema = {
  'Broadgauge-Warnings': {
    description:
      'The `warnings` of a streamed response, as JSON in ASCII, at most 4 KB. If some are left out, the last warning gives their number.',
    schema: { type: 'string' },
  },
}
