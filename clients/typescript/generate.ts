/** Generates the types of requests and responses from the OpenAPI document: `npm run generate -w clients/typescript`. */
import { fileURLToPath } from 'node:url'
import { createClient } from '@hey-api/openapi-ts'
import { catalog } from '../../src/catalog/catalog.ts'
import { openApiDocument } from '../../src/http/openapi/document.ts'
import { routes } from '../../src/http/routes/index.ts'

const servers = { data: { url: '/' }, metadata: { url: '/' }, ingest: { url: '/' }, console: { url: '/console/api' } }

await createClient({
  input: openApiDocument({ routes, catalog, servers }),
  output: {
    path: fileURLToPath(new URL(process.argv[2] ?? 'src/generated', import.meta.url)),
    fileName: { suffix: null },
  },
  plugins: ['@hey-api/typescript'],
  logs: { level: 'warn' },
})
