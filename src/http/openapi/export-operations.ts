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
  summary: waits ? `Export ${what} and wait for the file` : `Export ${what} in the background`,
  description: waits
    ? 'Responds when the file is complete, or after 25 seconds with the state of the export. Responds at once if 32 requests of the organisation are already waiting.'
    : 'Responds at once. When the export is complete, the response of `status_url` contains the link.',
  parameters: [
    idempotencyKey('A repeated request with the same key and body within 24 hours returns the same export.'),
  ],
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
    summary: 'Read the state of an export, with a new link to the file',
    description:
      'Returns exports of your organisation. The 404 is the same for an export that you cannot see and for one that does not exist or has expired.',
    parameters: [id],
    data: reference('Export'),
    faults: [],
  },
  'DELETE /downloads/:id': {
    id: 'cancelDownload',
    summary: 'Cancel an export and remove the file',
    description: 'Works in every state of the export. Later requests for the export get 404.',
    parameters: [id],
    data: null,
    // The route needs no body. But if a request has one, the service parses it, so these errors are possible.
    faults: bodyFaults,
  },
}
