import type { Scope } from '../../../base/caller.ts'
import { unavailable } from '../../../base/fault.ts'
import { notedTests } from '../../../compile/values/note-values.ts'
import { readAge, searchFactValues, type FactValueSearch } from '../../../compile/values/search-values.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import type { ClickHouse } from '../clickhouse.ts'
import { findPoints } from '../query/find-points.ts'
import type { AwaitedOrigin } from '../query/query-origin.ts'

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
