import type { Scope } from '../base/caller.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { clockValues } from '../catalog/local-window.ts'
import type { ValuesRequest } from '../check/metric/values-request.ts'
import { findFactValues, readValuesAge } from '../engine/clickhouse/values/find-fact-values.ts'
import type { AwaitedOrigin } from '../engine/clickhouse/query/query-origin.ts'
import { findAgentIds, findPanelValues, findUnitIds, type ValuePlace } from '../engine/postgres/values/find-values.ts'
import type { Stores } from '../engine/stores.ts'

/** The list contains all values stored until `ageSeconds` ago. Newer values may be missing. */
export type ListedValues = { readonly values: readonly string[]; readonly ageSeconds: number }

type Match = 'prefix' | 'inside'

/**
 * Lists the values of a dimension on panels that the caller can read. Values that start with the searched text come first, then
 * values that contain it.
 */
export async function listValues(
  scope: Scope,
  { postgres, lookups }: Stores,
  catalog: Catalog,
  panels: readonly number[],
  { dimension: { source }, tests, text, valuesMax }: ValuesRequest,
  origin: AwaitedOrigin,
): Promise<ListedValues> {
  const ofPanels = async (places: readonly ValuePlace[]): Promise<ListedValues> => {
    const find = (place: Match, max: number) =>
      findPanelValues(scope, postgres, places, { text, place, valuesMax: max })
    return { values: await prefixFirst(text, valuesMax, find), ageSeconds: 0 }
  }
  switch (source.kind) {
    case 'column': {
      const search = { column: source.column, panels: panels, tests, text }
      const find = (place: Match, max: number) => findFactValues(scope, lookups, { ...search, place }, max, origin)
      // Read the age before the values. If it were read after them, it could describe a newer list than the one returned.
      const ageSeconds = await readValuesAge(scope, lookups, catalog, tests, origin)
      return { values: await prefixFirst(text, valuesMax, find), ageSeconds }
    }
    case 'agent':
      if (source.attribute === 'agent_id') {
        return { values: await findAgentIds(scope, postgres, panels, text, valuesMax), ageSeconds: 0 }
      }
      if (source.attribute === 'unit_id') {
        return { values: await findUnitIds(scope, postgres, panels, text, valuesMax), ageSeconds: 0 }
      }
      return ofPanels(panels.map((panel) => ({ panel, subject: source.attribute })))
    case 'clock': {
      const find = (place: Match, max: number) =>
        Promise.resolve(matching(clockValues(source), text, place).slice(0, max))
      return { values: await prefixFirst(text, valuesMax, find), ageSeconds: 0 }
    }
    case 'custom':
      return ofPanels(source.fields.map(({ panel, field }) => ({ panel, subject: `custom.${field}` })))
    default:
      return ofPanels(panels.map((panel) => ({ panel, subject: source.kind })))
  }
}

function matching(values: readonly string[], text: string, place: Match): string[] {
  const sought = text.toLowerCase()
  return values.filter((value) =>
    place === 'prefix' ? value.startsWith(sought) : value.includes(sought) && !value.startsWith(sought),
  )
}

async function prefixFirst(
  text: string,
  valuesMax: number,
  find: (place: Match, valuesMax: number) => Promise<string[]>,
): Promise<string[]> {
  const first = await find('prefix', valuesMax)
  if (text === '' || first.length >= valuesMax) return first
  return [...first, ...(await find('inside', valuesMax - first.length))]
}
