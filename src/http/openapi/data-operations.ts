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
      'For aggregates, `data` has one object for each combination of the values of the splits. For raw points, `data` has one object, and the response is streamed. The metadata of an agent is that of the time of the measurement.',
    body: { schema: reference('MetricRequest'), examples: metricExamples },
    data: {
      anyOf: ['AggregatedPoint', 'RawPoint'].map((name) => listOf(record({ metricData: listOf(reference(name)) }))),
    },
    warns: true,
    hasMeta: true,
    headers: {
      ...warningsHeader,
      'X-Percentiles': {
        description: 'Kind of the percentiles of an aggregate: `exact`, `none`, or `sketch; relative-error=…`.',
        schema: { type: 'string' },
      },
      ...resultsFromHeader,
    },
    faults: [...bodyFaults, 'QUERY_TOO_LARGE'],
  },
  'POST /test_data': {
    id: 'testData',
    summary: 'Stored results of one test',
    description: 'Streams one record per result, with the columns of the test, ordered by panel, day, agent and time.',
    body: { schema: reference('TestDataRequest'), examples: testExamples },
    data: listOf({ anyOf: tests.map(({ key }) => reference(recordName(key))) }),
    headers: resultsFromHeader,
    faults: [...bodyFaults, 'QUERY_TOO_LARGE'],
  },
  'POST /metric_data/estimate': {
    id: 'estimateMetricData',
    summary: 'Estimate the cost of a request for metric data',
    description: 'Takes the body of `POST /metric_data` or of an export. An estimate reads no results.',
    body: { schema: reference('MetricExportRequest'), examples: metricExamples },
    data: reference('QueryEstimate'),
    faults: bodyFaults,
  },
  'POST /test_data/estimate': {
    id: 'estimateTestData',
    summary: 'Estimate the cost of a request for test data',
    description: 'Takes the body of `POST /test_data` or of an export. An estimate reads no results.',
    body: { schema: reference('TestDataExportRequest'), examples: testExamples },
    data: reference('QueryEstimate'),
    faults: bodyFaults,
  },
})
