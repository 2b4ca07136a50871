import { catalog, keeping, type Catalog } from '../../catalog/catalog.ts'
import type { Settings } from '../config-schema.ts'

/** What callers may ask, with how far back. */
export const servedCatalog = (settings: Settings): Catalog => keeping(catalog, settings.BROADGAUGE_RETENTION_DAYS)
