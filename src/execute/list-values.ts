import type { Scope } from '../base/caller.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Grants } from '../catalog/grants.ts'
import type { ValuesRequest } from '../check/metric/values-request.ts'
import { findFactValues, readValuesAge } from '../engine/clickhouse/values/find-fact-values.ts'
import type { AwaitedOrigin } from '../engine/clickhouse/query/query-origin.ts'
import { findAgentIds, findPanelValues, findUnitIds, type ValuePlace } from '../engine/postgres/values/find-values.ts'
import type { Stores } from '../engine/stores.ts'

/** Values, and how many seconds ago it was known that there are no others. */
export type ListedValues = { readonly values: readonly string[]; readonly ageSeconds: number }

type Place = 'prefix' | 'inside'

/** Values of a filter on the panels the caller can read: those that begin with the text, then those that hold it. */
export async function listValues(
  scope: Scope,
  { postgres, lookups }: Stores,
  catalog: Catalog,
  { panels }: Grants,
  { dimension: { source }, tests, text, valuesMax }: ValuesRequest,
  origin: AwaitedOrigin,
): Promise<ListedValues> {
  const numbers = panels.map(({ id }) => id)
  const ofPanels = async (places: readonly ValuePlace[]): Promise<ListedValues> => {
    const find = (place: Place, max: number) =>
      findPanelValues(scope, postgres, places, { text, place, valuesMax: max })
    return { values: await prefixFirst(text, valuesMax, find), ageSeconds: 0 }
  }
  switch (source.kind) {
    case 'column': {
      const search = { column: source.column, panels: numbers, tests, text }
      const find = (place: Place, max: number) => findFactValues(scope, lookups, { ...search, place }, max, origin)
      // Before the values: what is noted meanwhile may be among them.
      const ageSeconds = await readValuesAge(scope, lookups, catalog, tests, origin)
      return { values: await prefixFirst(text, valuesMax, find), ageSeconds }
    }
    case 'agent':
      if (source.attribute === 'agent_id') {
        return { values: await findAgentIds(scope, postgres, numbers, text, valuesMax), ageSeconds: 0 }
      }
      if (source.attribute === 'unit_id') {
        return { values: await findUnitIds(scope, postgres, numbers, text, valuesMax), ageSeconds: 0 }
      }
      return ofPanels(numbers.map((panel) => ({ panel, subject: source.attribute })))
    case 'custom':
      return ofPanels(source.fields.map(({ panel, field }) => ({ panel, subject: `custom.${field}` })))
    default:
      return ofPanels(numbers.map((panel) => ({ panel, subject: source.kind })))
  }
}

async function prefixFirst(
  text: string,
  valuesMax: number,
  find: (place: Place, valuesMax: number) => Promise<string[]>,
): Promise<string[]> {
  const first = await find('prefix', valuesMax)
  if (text === '' || first.length >= valuesMax) return first
  return [...first, ...(await find('inside', valuesMax - first.length))]
}
