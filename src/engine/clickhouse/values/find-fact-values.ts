import type { Scope } from '../../../base/caller.ts'
import { unavailable } from '../../../base/fault.ts'
import { scannedTests } from '../../../compile/values/record-values.ts'
import { type FactValueSearch, readAge, searchFactValues } from '../../../compile/values/search-values.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import type { ClickHouse } from '../clickhouse.ts'
import { findPoints } from '../query/find-points.ts'
import type { AwaitedOrigin } from '../query/query-origin.ts'
import { type RequestedColumn, findListed, findRecent } from '../../../compile/values/known-values.ts'

/**
 * Number of rows that the first query reads for each value to find. A value has one row per panel, test and node, and also
 * duplicates that ClickHouse has not merged yet.
 */
const rowsAtFirst = 8

export async function findFactValues(
  scope: Scope,
  clickhouse: ClickHouse,
  search: FactValueSearch,
  valuesMax: number,
  origin: AwaitedOrigin,
): Promise<string[]> {
  for (let rowsMax = valuesMax * rowsAtFirst; ; rowsMax *= 8) {
    const statement = searchFactValues(clickhouse.database, search, rowsMax)
    const found = await findPoints<[string, number]>(scope, clickhouse, statement, origin)
    const isAll = found.reduce((sum, [, rows]) => sum + rows, 0) < rowsMax
    if (isAll || found.length >= valuesMax) return found.slice(0, valuesMax).map(([value]) => value)
  }
}

/**
 * Returns how many seconds ago the job last scanned the results. Throws a 503 while the first scan runs, because there is no
 * list of values yet.
 */
export async function readValuesAge(
  scope: Scope,
  clickhouse: ClickHouse,
  catalog: Catalog,
  keys: readonly string[],
  origin: AwaitedOrigin,
): Promise<number> {
  const tests = scannedTests(catalog).filter(({ key }) => keys.includes(key))
  const [row] = await findPoints<[number, number]>(scope, clickhouse, readAge(clickhouse.database, tests), origin)
  const [parts, age] = row ?? [0, 0]
  if (parts < tests.length * clickhouse.nodes.length) {
    throw unavailable('the values of facts are being noted for the first time')
  }
  return age
}

type Found = [column: string, value: string]

/**
 * Returns which of these values occur in results, by column; null while the first scan runs. For values that are not in the
 * list, it also searches the results that the job has not scanned yet. It does so only for `test`: ClickHouse takes a second to
 * plan a search of every test.
 */
export async function findKnownFacts(
  scope: Scope,
  clickhouse: ClickHouse,
  catalog: Catalog,
  { test, columns: asked }: { readonly test: string; readonly columns: readonly RequestedColumn[] },
  origin: AwaitedOrigin,
): Promise<ReadonlyMap<string, ReadonlySet<string>> | null> {
  const { database, nodes } = clickhouse
  const { panels } = origin
  const known = new Map(asked.map(({ column }) => [column, new Set<string>()]))
  const listed = await findPoints<Found>(scope, clickhouse, findListed(database, panels, asked), origin)
  for (const [column, value] of listed) known.get(column)?.add(value)
  const unlisted = asked
    .map((one) => ({ ...one, values: one.values.filter((value) => known.get(one.column)?.has(value) !== true) }))
    .filter(({ values }) => values.length > 0)
  if (unlisted.length === 0) return known

  const noted = scannedTests(catalog).find(({ key }) => key === test)
  if (noted === undefined) throw new Error(`${test} has no column that is filtered by`)
  const recent = await findPoints<Found>(scope, clickhouse, findRecent(database, panels, unlisted, noted), origin)
  const lists = recent.find(([column]) => column === '')?.[1] ?? '0'
  if (Number(lists) < nodes.length) return null
  for (const [column, value] of recent) known.get(column)?.add(value)
  return known
}
