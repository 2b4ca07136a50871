import type { Catalog } from '../../catalog/catalog.ts'
import { bodyFaults, type Operations } from './operation.ts'
import { reference } from './schema.ts'

export const ingestOperations = ({ tests }: Catalog): Operations => ({
  'POST /ingest/:test': {
    id: 'ingest',
    summary: 'Store results of your agents',
    description:
      'Stores each row, counts it as a duplicate, or rejects it with a reason. The service stores a repeated body only once.',
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
        description: 'Encoding of a compressed body.',
        schema: { type: 'string', enum: ['gzip', 'zstd'] },
      },
    ],
    rows: {
      'application/x-ndjson': 'One JSON object per line.',
      'application/ndjson': 'The same as `application/x-ndjson`.',
      'application/jsonl': 'The same as `application/x-ndjson`.',
      'text/csv': 'CSV whose first line names the columns.',
    },
    data: reference('IngestReport'),
    faults: bodyFaults,
  },
})
