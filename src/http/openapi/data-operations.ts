import type { Catalog } from '../../catalog/catalog.ts'
import { nextHeader, resultsFromHeader } from './answer-headers.ts'
import { recordName } from './answer-schemas.ts'
import { metricExamples, testExamples } from './examples.ts'
import { bodyFaults, query, type Operations } from './operation.ts'
import { pageMeta } from './points/selection-schemas.ts'
import { queryStringParameters } from './points/query-string-parameters.ts'
import { responseFormat } from './request-schemas.ts'
import { listOf, record, reference, type Schema } from './schema.ts'
import { warningsHeader } from './warning-schema.ts'

const contentDisposition: Schema = {
  'Content-Disposition': {
    description: 'A name for a file with the response. Absent in JSON.',
    schema: { type: 'string' },
  },
}

const format = query('format', 'The same as `format` in the body. The two must not differ.', responseFormat)

/** Headers and contents of the responses with metric data. */
export const metricAnswer = {
  data: {
    anyOf: ['AggregatedPoint', 'RawPoint'].map((name) => listOf(record({ metricData: listOf(reference(name)) }))),
  },
  warns: true,
  hasMeta: true,
  hasFormats: true,
  headers: {
    ...warningsHeader,
    'X-Percentiles': {
      description: 'Kind of the percentiles of an aggregate: `exact`, `none`, or `sketch; relative-error=…`.',
      schema: { type: 'string' },
    },
    ...resultsFromHeader,
    ...nextHeader,
    ...contentDisposition,
  },
} as const

export const dataOperations = ({ tests, metrics }: Catalog): Operations => ({
  'POST /metric_data': {
    id: 'metricData',
    summary: 'Metric data, raw or aggregated',
    description:
      'For aggregates, `data` has one object for each combination of the values of the splits, and of the metric if the request has `metrics`. For raw points, `data` has one object, and the response is streamed. The metadata of an agent is that of the time of the measurement.',
    body: { schema: reference('MetricRequest'), examples: metricExamples },
    parameters: [format],
    ...metricAnswer,
    faults: [...bodyFaults, 'QUERY_TOO_LARGE', 'CURSOR_EXPIRED'],
  },
  'GET /metric_data': {
    id: 'readMetricData',
    summary: 'Metric data by URL',
    description:
      'The same as `POST /metric_data`, for programs that can only read a URL. Every parameter stands for a field of the body; a dot stands for a member of an object, and a list is a repeated parameter. Unknown parameters are refused. The URL and the headers together can have 16 KB.',
    parameters: [
      ...queryStringParameters(metrics.map(({ key }) => key)),
      query('format', 'Format of the response.', responseFormat),
    ],
    ...metricAnswer,
    faults: ['VALIDATION_FAIL', 'QUERY_TOO_LARGE', 'CURSOR_EXPIRED'],
  },
  'POST /test_data': {
    id: 'testData',
    summary: 'Stored results of one test',
    description: 'Streams one record per result, with the columns of the test, ordered by panel, day, agent and time.',
    body: { schema: reference('TestDataRequest'), examples: testExamples },
    parameters: [format],
    data: listOf({ anyOf: tests.map(({ key }) => reference(recordName(key))) }),
    hasFormats: true,
    meta: pageMeta,
    headers: { ...resultsFromHeader, ...nextHeader, ...contentDisposition },
    faults: [...bodyFaults, 'QUERY_TOO_LARGE', 'CURSOR_EXPIRED'],
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
