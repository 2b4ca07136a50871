import { limits } from '../../base/limits.ts'
import { query, type Operations } from './operation.ts'
import { listOf, record, reference, text } from './schema.ts'

export const listingOperations: Operations = {
  'GET /metrics': {
    id: 'listMetrics',
    summary: 'Metrics you may ask for',
    description: 'Every key can be the `metric` of `POST /metric_data`.',
    data: listOf(reference('MetricListEntry')),
    faults: [],
  },
  'GET /tests': {
    id: 'listTests',
    summary: 'Tests you may ask for',
    description: 'The tests of units, then those of mobile agents.',
    parameters: [query('kind', 'Only one of the two lists.', { type: 'string', enum: ['unit', 'mobile'] })],
    data: listOf(text('Key of a test.')),
    faults: ['VALIDATION_FAIL'],
  },
  'GET /splits': {
    id: 'listSplits',
    summary: 'What metric data can be split by',
    description: 'Standard dimensions, and the custom fields of panels you can read as `custom.<key>`.',
    data: listOf(reference('SplitListEntry')),
    faults: [],
  },
  'GET /filters': {
    id: 'listFilters',
    summary: 'What metric data can be filtered by',
    description: 'The dimensions of `GET /splits`.',
    data: listOf(reference('FilterListEntry')),
    faults: [],
  },
  'GET /filters/:id/values': {
    id: 'listFilterValues',
    summary: 'Values a filter can take',
    description:
      'What occurs on panels you can read: values that begin with the text, then values that hold it. `Age` says how many seconds ago results were last gone through for values.',
    parameters: [
      { name: 'id', in: 'path', required: true, description: 'From `GET /filters`.', schema: { type: 'string' } },
      query('search', 'Text to look for, whatever its case.', {
        type: 'string',
        maxLength: limits.searchCharactersMax,
        default: '',
      }),
      query('limit', 'Values to list at most.', {
        type: 'integer',
        minimum: 1,
        maximum: limits.valuesMax,
        default: limits.valuesDefault,
      }),
    ],
    data: listOf(record({ value: text('What a filter takes.'), label: text('What to show.') })),
    headers: {
      Age: { description: 'Seconds since results were last gone through for values.', schema: { type: 'integer' } },
      'Cache-Control': { description: 'How long the list may be kept.', schema: { type: 'string' } },
    },
    faults: ['VALIDATION_FAIL', 'QUERY_TOO_LARGE'],
  },
}
