import type { Catalog } from '../../catalog/catalog.ts'
import { resultsFromHeader } from './answer-headers.ts'
import { recordName } from './answer-schemas.ts'
import { metricExamples, testExamples } from './examples.ts'
import { bodyFaults, type Operations } from './operation.ts'
import { listOf, record, reference } from './schema.ts'
import { warningsHeader } from './warning-schema.ts'

export const dataOperations = ({ tests }: Catalog): Operations => ({
  'POST /metric_data': {
    id: 'metricData',
    summary: 'Metric data, raw or aggregated',
    description:
      'Aggregates: one object in `data` for each combination of splits. Raw: one object, streamed. Metadata is that of the time of each measurement.',
    body: { schema: reference('MetricRequest'), examples: metricExamples },
    data: {
      anyOf: ['AggregatedPoint', 'RawPoint'].map((name) => listOf(record({ metricData: listOf(reference(name)) }))),
    },
    warns: true,
    headers: {
      ...warningsHeader,
      'X-Percentiles': {
        description: 'Of an aggregate: `exact`, `none`, or `sketch; relative-error=…`.',
        schema: { type: 'string' },
      },
      ...resultsFromHeader,
    },
    faults: [...bodyFaults, 'QUERY_TOO_LARGE'],
  },
  'POST /test_data': {
    id: 'testData',
    summary: 'Stored results of one test',
    description: 'One record a result, streamed in stored order. Its columns are those of the test.',
    body: { schema: reference('TestDataRequest'), examples: testExamples },
    data: listOf({ anyOf: tests.map(({ key }) => reference(recordName(key))) }),
    headers: resultsFromHeader,
    faults: [...bodyFaults, 'QUERY_TOO_LARGE'],
  },
})
