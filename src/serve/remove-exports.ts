import { findAskers } from '../compile/erasure.ts'
import type { ClickHouse } from '../engine/clickhouse/clickhouse.ts'
import { findSelected } from '../engine/clickhouse/find-selected.ts'
import { findExportObjects, removeExportObjects } from '../engine/objects/export-objects.ts'
import type { Objects } from '../engine/objects/objects.ts'
import { cancelExports, type Erasure } from '../engine/postgres/operator/erasures.ts'
import type { Operator } from '../engine/postgres/operator/operator.ts'

type Parts = { readonly operator: Operator; readonly clickhouse: ClickHouse; readonly objects: Objects }

/** A file may hold the agent's results whatever it was asked for by; it can be asked for again. Answers their ids. */
export async function removeExports(
  { operator, clickhouse, objects }: Parts,
  erasure: Erasure,
  days: number,
): Promise<string[]> {
  const query = findAskers(clickhouse.database, erasure.panel_id, days + 1)
  const askers = await findSelected<{ organisation: number }>(clickhouse, query)
  const organisations = askers.map(({ organisation }) => organisation)
  const ids = await cancelExports(operator, erasure, organisations)
  for (const id of ids) await removeExportObjects(objects, await findExportObjects(objects, id))
  return ids
}
