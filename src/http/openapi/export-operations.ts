import { resultsFromHeader } from './answer-headers.ts'
import { metricExamples, testExamples } from './examples.ts'
import { bodyFaults, idempotencyKey, type Operation, type Operations } from './operation.ts'
import { reference } from './schema.ts'

type Source = { readonly name: string; readonly what: string; readonly examples: Operation['body'] }

const metric = {
  name: 'metricData',
  what: 'metric data',
  examples: { schema: reference('MetricExportRequest'), examples: metricExamples },
}
const test = {
  name: 'testData',
  what: 'test data',
  examples: { schema: reference('TestDataExportRequest'), examples: testExamples },
}

const exportOperation = ({ name, what, examples }: Source, waits: boolean): Operation => ({
  id: `${name}${waits ? 'Csv' : 'Download'}`,
  summary: waits ? `A file of ${what}, and a link to it` : `A file of ${what}, made in the background`,
  description: waits
    ? 'Answers when the file is there, or after 25 seconds with its state by then; at once where 32 requests of the organisation wait already.'
    : 'Answers at once; ask `status_url` for the link.',
  parameters: [idempotencyKey('Sent again with the same body within 24 hours, the same export is answered.')],
  ...(examples === undefined ? {} : { body: examples }),
  data: reference('Export'),
  headers: resultsFromHeader,
  faults: [...bodyFaults, 'CONFLICT'],
})

const id = { name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } }

export const exportOperations: Operations = {
  'POST /metric_data.csv': exportOperation(metric, true),
  'POST /metric_data_download': exportOperation(metric, false),
  'POST /test_data.csv': exportOperation(test, true),
  'POST /test_data_download': exportOperation(test, false),
  'GET /downloads/:id': {
    id: 'readDownload',
    summary: 'How far an export is, and a fresh link to its file',
    description: 'Of your own organisation. What you cannot see is 404 like what does not exist or has expired.',
    parameters: [id],
    data: reference('Export'),
    faults: [],
  },
  'DELETE /downloads/:id': {
    id: 'cancelDownload',
    summary: 'End an export and remove its file',
    description: 'In any state; it is 404 afterwards.',
    parameters: [id],
    data: null,
    // It needs no body, and one that comes along is read and judged.
    faults: bodyFaults,
  },
}
