import { limits } from '../../base/limits.ts'
import { query, type Operations } from './operation.ts'
import { listOf, record, reference, text } from './schema.ts'

export const listingOperations: Operations = {
  'GET /metrics': {
    id: 'listMetrics',
    summary: 'List the metrics that you may query',
    description: 'Each `key` is a valid `metric` of `POST /metric_data`.',
    data: listOf(reference('MetricListEntry')),
    faults: [],
  },
  'GET /tests': {
    id: 'listTests',
    summary: 'List the tests that you may query',
    description: 'Lists the tests of units first, then the tests of mobile agents.',
    parameters: [
      query('kind', 'List only the tests of units, or only the tests of mobile agents.', {
        type: 'string',
        enum: ['unit', 'mobile'],
      }),
    ],
    data: listOf(text('Key of a test.')),
    faults: ['VALIDATION_FAIL'],
  },
  'GET /presets': {
    id: 'listPresets',
    summary: 'Statistics that authorities publish',
    description: 'Every key can be the `preset` of `POST /metric_data`, which fills the fields of the request.',
    data: listOf(reference('PresetListEntry')),
    faults: [],
  },
  'GET /splits': {
    id: 'listSplits',
    summary: 'List the dimensions by which you can split metric data',
    description:
      'Lists the standard dimensions, the dimensions of the local time of results, and, as `custom.<key>`, the custom fields of panels that you can read.',
    data: listOf(reference('SplitListEntry')),
    faults: [],
  },
  'GET /filters': {
    id: 'listFilters',
    summary: 'List the dimensions by which you can filter metric data',
    description: 'Lists the same dimensions as `GET /splits`.',
    data: listOf(reference('FilterListEntry')),
    faults: [],
  },
  'GET /filters/:id/values': {
    id: 'listFilterValues',
    summary: 'List the values of a filter',
    description:
      'Lists values that occur on panels that you can read: first the values that begin with the text of `search`, then the values that contain this text.',
    parameters: [
      {
        name: 'id',
        in: 'path',
        required: true,
        description: 'Id of a filter from `GET /filters`.',
        schema: { type: 'string' },
      },
      query('search', 'Text to search for. Case is ignored.', {
        type: 'string',
        maxLength: limits.searchCharactersMax,
        default: '',
      }),
      query('limit', 'Maximum number of values.', {
        type: 'integer',
        minimum: 1,
        maximum: limits.valuesMax,
        default: limits.valuesDefault,
      }),
    ],
    data: listOf(record({ value: text('Value for a filter.'), label: text('Text to display.') })),
    headers: {
      Age: {
        description: 'Number of seconds since the service last scanned results for new values.',
        schema: { type: 'integer' },
      },
      'Cache-Control': { description: 'How long a client may cache the list.', schema: { type: 'string' } },
    },
    faults: ['VALIDATION_FAIL', 'QUERY_TOO_LARGE'],
  },
}
