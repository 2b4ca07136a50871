import type { Scope } from '../../../base/caller.ts'
import { unavailable } from '../../../base/fault.ts'
import { notedTests } from '../../../compile/values/note-values.ts'
import { type FactValueSearch, readAge, searchFactValues } from '../../../compile/values/search-values.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import type { ClickHouse } from '../clickhouse.ts'
import { findPoints } from '../query/find-points.ts'
import type { AwaitedOrigin } from '../query/query-origin.ts'
import { type AskedColumn, findListed, findRecent } from '../../../compile/values/known-values.ts'

/** How often the same value may stand there before more rows are looked at: for each panel, test and node, and not yet merged. */
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

/** How many seconds ago the facts were last gone through. Before they have been for the first time there is no list to give. */
export async function readValuesAge(
  scope: Scope,
  clickhouse: ClickHouse,
  catalog: Catalog,
  keys: readonly string[],
  origin: AwaitedOrigin,
): Promise<number> {
  const tests = notedTests(catalog).filter(({ key }) => keys.includes(key))
  const [row] = await findPoints<[number, number]>(scope, clickhouse, readAge(clickhouse.database, tests), origin)
  const [parts, age] = row ?? [0, 0]
  if (parts < tests.length * clickhouse.nodes.length) {
    throw unavailable('the values of facts are being noted for the first time')
  }
  return age
}

type Found = [column: string, value: string]

/**
 * Which of these values results have, by column; null as long as it is not known because results are gone through for the
 * first time. Results that are not listed yet are looked at only where a value is in no list, and only those of `test`: to
 * plan a look at every test takes the engine a second.
 */
export async function findKnownFacts(
  scope: Scope,
  clickhouse: ClickHouse,
  catalog: Catalog,
  { test, columns: asked }: { readonly test: string; readonly columns: readonly AskedColumn[] },
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

  const noted = notedTests(catalog).find(({ key }) => key === test)
  if (noted === undefined) throw new Error(`${test} has no column that is filtered by`)
  const recent = await findPoints<Found>(scope, clickhouse, findRecent(database, panels, unlisted, noted), origin)
  const lists = recent.find(([column]) => column === '')?.[1] ?? '0'
  if (Number(lists) < nodes.length) return null
  for (const [column, value] of recent) known.get(column)?.add(value)
  return known
}
