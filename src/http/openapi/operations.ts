import type { Catalog } from '../../catalog/catalog.ts'
import { dataOperations } from './data-operations.ts'
import { exportOperations } from './export-operations.ts'
import { ingestOperations } from './ingest-operations.ts'
import { listingOperations } from './listing-operations.ts'
import { metadataOperations } from './metadata-operations.ts'
import type { Operations } from './operation.ts'

/** What the document says of every route. A test insists that the two sets are the same. */
export const operations = (catalog: Catalog): Operations => ({
  ...listingOperations,
  ...dataOperations(catalog),
  ...exportOperations,
  ...metadataOperations,
  ...ingestOperations(catalog),
})
