import { catalog } from '../../../src/catalog/catalog.ts'
import { openApiDocument } from '../../../src/http/openapi/document.ts'
import { routes } from '../../../src/http/routes/index.ts'
import { documentChecks } from './document-checks.ts'

const servers = { data: { url: '/' }, metadata: { url: '/' }, ingest: { url: '/' }, console: { url: '/console/api' } }

export const document = openApiDocument({ routes, catalog, servers })

export const { documented, answerFaults, requestFaults } = documentChecks(document)
