import { bind, identifier, literal, sql, type Sql } from '../base/sql.ts'
import type { DimensionSource } from '../catalog/dimensions.ts'
import { customValue, ispName, packageName, spanAttribute } from './metadata-as-of.ts'

/** A row is grouped by `key`, a number where there is one; an answer shows `shown(key)`, text or number, null for none. */
export type DimensionValue = { readonly key: Sql; readonly shown: (key: Sql) => Sql }

export function dimensionValue(database: string, source: DimensionSource): DimensionValue {
  const itself = (key: Sql): Sql => key
  switch (source.kind) {
    case 'column':
      return { key: identifier(source.column), shown: itself }
    case 'isp':
      return { key: spanAttribute(database, 'isp_id', sql`span`), shown: (key) => ispName(database, key) }
    case 'package':
      return { key: spanAttribute(database, 'package_id', sql`span`), shown: (key) => packageName(database, key) }
    case 'custom':
      return { key: customValue(database, customField(source.fields), sql`span`), shown: itself }
    case 'agent':
      return source.attribute === 'agent_id'
        ? { key: sql`agent`, shown: (key) => agentAttribute(database, 'agent_id', key) }
        : {
            key: agentAttribute(database, source.attribute, sql`agent`),
            shown: source.attribute === 'unit_id' ? (key) => sql`toString(${key})` : itself,
          }
  }
}

export const agentAttribute = (database: string, attribute: string, agent: Sql): Sql =>
  sql`dictGet(${literal(`${database}.agents`)}, '${identifier(attribute)}', ${agent})`

/** Custom fields of the same name have a number for each organisation, so it depends on whose panel a row is of. */
function customField(fields: readonly { panel: number; field: number }[]): Sql {
  const panels = fields.map(({ panel }) => panel)
  const numbers = fields.map(({ field }) => field)
  return sql`transform(panel, ${bind('Array(UInt32)', panels)}, ${bind('Array(UInt32)', numbers)}, 0)`
}
