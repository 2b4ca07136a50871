import { isListFilter, numberFilterTypes, presenceFilterTypes, textFilterTypes } from '../../../catalog/filter-types.ts'
import {
  decimalNumber,
  patternLengthMax,
  valueLengthMax,
  valuesMax,
} from '../../../check/metric/filters/filter-values.ts'
import {
  depthMax,
  filtersMax,
  filterTypeNames,
  leavesMax,
  patternsMax,
} from '../../../check/metric/filters/metric-filters.ts'
import { listOf, orNull, record, reference, text, type Schema } from '../schema.ts'

const id = text('An id of `GET /filters`.')

const values = (description: string, lengthMax = valueLengthMax, itemsMax = valuesMax): Schema =>
  listOf({ type: ['string', 'integer'], maxLength: lengthMax }, { description, minItems: 1, maxItems: itemsMax })

const oneNumber = listOf(
  { anyOf: [{ type: 'number' }, { type: 'string', pattern: decimalNumber }] },
  { description: 'The number that values are compared with.', minItems: 1, maxItems: 1 },
)

const listTypes = [...filterTypeNames].flatMap(([name, type]) => (isListFilter(type) ? [name] : []))

const leaves: readonly Schema[] = [
  record({
    id,
    filterType: {
      description: 'Keep (`include`) or leave out (`exclude`) results with these values. Other choices are aliases.',
      enum: listTypes,
    },
    filterValues: values(
      'A result matches if its value is exactly one of these values, including case. Only `threads`, `ip_version`, `unit`, `hour_of_day` and `day_of_week` accept whole numbers.',
    ),
  }),
  record({
    id,
    filterType: text('Keep results whose text contains, starts with or ends with one of these values.', {
      enum: textFilterTypes.filter((type) => type !== 'matches'),
    }),
    filterValues: values('Texts that are compared with the text that points show, including case.'),
  }),
  record({
    id,
    filterType: text('Keep results of whose text a part matches one of these patterns.', { enum: ['matches'] }),
    filterValues: values(
      `Patterns in the syntax of RE2. All filters together may have ${patternsMax} patterns.`,
      patternLengthMax,
      patternsMax,
    ),
  }),
  record({
    id,
    filterType: text('Keep results whose value is a number in this range.', { enum: [...numberFilterTypes] }),
    filterValues: oneNumber,
  }),
  record(
    {
      id,
      filterType: text('Keep results that have a value (`is_set`) or have none (`is_missing`).', {
        enum: [...presenceFilterTypes],
      }),
      filterValues: { type: 'null' },
    },
    { optional: ['filterValues'] },
  ),
]

const members = (description: string): Schema => listOf(reference('Filter'), { description, minItems: 1 })

export const filterSchema: Schema = {
  description: `A condition on one dimension, or a group of filters. Groups may be nested to a depth of ${depthMax}, and a list of filters may have ${leavesMax} conditions inside and outside groups. If a value is missing, the condition is false, except with \`exclude\` and \`is_missing\`.`,
  anyOf: [
    ...leaves,
    record({ any: members('At least one of these filters must match.') }),
    record({ all: members('All of these filters must match.') }),
    record({ not: reference('Filter') }),
  ],
}

export const filters: Schema = orNull(
  listOf(reference('Filter'), { description: 'All filters must match.', maxItems: filtersMax }),
)
