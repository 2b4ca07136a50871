import { warningsMax } from '../../envelope/warnings.ts'
import { listOf, record, reference, text, type Schema } from './schema.ts'

export const warningSchema = record(
  {
    code: text('`unknown_filter_value`: no agent or result you can see has it. `more_warnings`: the last of many.', {
      enum: ['unknown_filter_value', 'more_warnings'],
    }),
    message: text('For people.'),
    id: text('Of the filter.'),
    value: text('The value; of a long one the beginning.'),
  },
  { optional: ['id', 'value'] },
)

/** Beside `data`, or in it. */
export const warnings: Schema = listOf(reference('Warning'), {
  description: 'What you should know of the request, although it was answered. Left out when there is nothing.',
  minItems: 1,
  maxItems: warningsMax + 1,
})

/** The same of an answer that streams. */
export const warningsHeader: Schema = {
  'Broadgauge-Warnings': {
    description:
      'Of an answer that streams: `warnings` as JSON in ASCII, at most 4 KB; the last says how many are left out.',
    schema: { type: 'string' },
  },
}
