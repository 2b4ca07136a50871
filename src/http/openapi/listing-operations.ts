import { query, type Operations } from './operation.ts'
import { listOf, reference, text } from './schema.ts'

export const listingOperations: Operations = {
  'GET /metrics': {
    id: 'listMetrics',
    summary: 'Metrics you may ask for',
    description: 'Every key can be the `metric` of `POST /metric_data`.',
    data: listOf(reference('MetricListEntry')),
    faults: ['VALIDATION_FAIL'],
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
    faults: ['VALIDATION_FAIL'],
  },
  'GET /filters': {
    id: 'listFilters',
    summary: 'What metric data can be filtered by',
    description: 'The dimensions of `GET /splits`.',
    data: listOf(reference('SplitListEntry')),
    faults: ['VALIDATION_FAIL'],
  },
}
