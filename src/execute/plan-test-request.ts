import type { Scope } from '../base/caller.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { visibleTo } from '../catalog/visible.ts'
import { FieldFaults } from '../check/field-faults.ts'
import { checkTestDataRequest } from '../check/metric/test-data-request.ts'
import type { RecordsRequest } from '../compile/metric/test-records.ts'
import { readGrants } from '../engine/postgres/access/read-grants.ts'
import type { Stores } from '../engine/stores.ts'
import { resolveFilters } from './resolve-filters.ts'

/** `readable` contains all panels that the caller can read, including panels that the request does not ask for. */
export type PlannedRecords = RecordsRequest & { readonly readable: readonly number[] }

/** JSON responses, estimates and export files all use this plan. */
export async function planTestRequest(
  scope: Scope,
  stores: Pick<Stores, 'postgres' | 'lookups'>,
  catalog: Catalog,
  body: unknown,
  now: Temporal.Instant,
  faults: FieldFaults = new FieldFaults(),
): Promise<PlannedRecords> {
  const grants = await readGrants(scope, stores.postgres)
  const request = checkTestDataRequest(body, visibleTo(grants, catalog), grants.panels, now, faults)
  const filters = await resolveFilters(stores, request.filters, faults)
  faults.throwIfAny()
  return { ...request, filters, erased: grants.erased, readable: grants.panels.map(({ id }) => id) }
}
