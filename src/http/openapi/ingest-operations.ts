import type { Catalog } from '../../catalog/catalog.ts'
import { bodyFaults, type Operations } from './operation.ts'
import { reference } from './schema.ts'

export const ingestOperations = ({ tests }: Catalog): Operations => ({
  'POST /ingest/:test': {
    id: 'ingest',
    summary: 'Store results of your agents',
    description: 'Each row is stored, counted as a duplicate, or rejected with a reason. The same body is stored once.',
    parameters: [
      {
        name: 'test',
        in: 'path',
        required: true,
        schema: { type: 'string', enum: tests.map(({ key }) => key) },
      },
      {
        name: 'Content-Encoding',
        in: 'header',
        description: 'Of the body, where it is compressed.',
        schema: { type: 'string', enum: ['gzip', 'zstd'] },
      },
    ],
    rows: {
      'application/x-ndjson': 'One JSON object a line.',
      'application/ndjson': 'The same.',
      'application/jsonl': 'The same.',
      'text/csv': 'With a first line that names the columns.',
    },
    data: reference('IngestReport'),
    faults: bodyFaults,
  },
})
