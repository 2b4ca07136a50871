import { newMeter } from '../base/audit.ts'
import type { Scope } from '../base/caller.ts'
import type { Warning } from '../base/warning.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { ResolvedFilter } from '../compile/filter-condition.ts'
import type { AwaitedOrigin } from '../engine/clickhouse/query-origin.ts'
import { findUnknownValues } from '../engine/find-unknown-values.ts'
import type { Stores } from '../engine/stores.ts'
import { unknownValueWarnings } from '../envelope/warnings.ts'

type Filtered = {
  readonly test: string
  readonly filters: readonly ResolvedFilter[]
  readonly readable: readonly number[]
}
type Origin = Pick<AwaitedOrigin, 'endpoint' | 'requestId' | 'signal'>

/** What the caller should know of its filters. It does not fail: without the stores there is no warning. */
export async function findWarnings(
  scope: Scope,
  stores: Pick<Stores, 'postgres' | 'lookups'>,
  catalog: Catalog,
  { test, filters, readable }: Filtered,
  { endpoint, requestId, signal }: Origin,
): Promise<Warning[]> {
  if (filters.length === 0) return []
  // Looking names up is not part of what the query costs.
  const origin = { endpoint, requestId, signal, panels: readable, meter: newMeter() }
  return unknownValueWarnings(await findUnknownValues(scope, stores, catalog, { test, filters }, origin))
}
