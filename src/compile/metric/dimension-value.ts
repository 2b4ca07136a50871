import { bind, identifier, literal, sql, type Sql } from '../../base/sql.ts'
import type { DimensionSource } from '../../catalog/dimensions.ts'
import { clockValue } from './clock/clock-value.ts'
import { customValue, ispName, packageName, spanAttribute } from './metadata-as-of.ts'

/**
 * How a query handles a dimension. Rows are grouped by `key`, which is a number where possible. A response contains
 * `shown(key)`: a text, a number, or null.
 */
export type DimensionValue = { readonly key: Sql; readonly shown: (key: Sql) => Sql }

const itself = (key: Sql): Sql => key

export function dimensionValue(database: string, source: DimensionSource): DimensionValue {
  if (source.kind === 'column') return { key: identifier(source.column), shown: itself }
  if (source.kind === 'agent') return ofAgent(database, source.attribute)
  if (source.kind === 'clock') return clockValue(source)
  if (source.kind === 'custom') {
    return { key: customValue(database, customField(source.fields), sql`span`), shown: itself }
  }
  return source.kind === 'isp'
    ? { key: spanAttribute(database, 'isp_id', sql`span`), shown: (key) => ispName(database, key) }
    : { key: spanAttribute(database, 'package_id', sql`span`), shown: (key) => packageName(database, key) }
}

/** The values of the splits in a row of results. */
export const splitValues = (
  database: string,
  { splits }: { readonly splits: readonly { readonly source: DimensionSource }[] },
): readonly Sql[] => splits.map(({ source }) => dimensionValue(database, source).key)

function ofAgent(database: string, attribute: string): DimensionValue {
  if (attribute === 'agent_id') return { key: sql`agent`, shown: (key) => agentAttribute(database, attribute, key) }
  const key = agentAttribute(database, attribute, sql`agent`)
  return { key, shown: attribute === 'unit_id' ? (unit) => sql`toString(${unit})` : itself }
}

export const agentAttribute = (database: string, attribute: string, agent: Sql): Sql =>
  sql`dictGet(${literal(`${database}.agents`)}, '${identifier(attribute)}', ${agent})`

/**
 * The custom field's number for the panel of a row. Each organisation has its own number for a custom field with the same name.
 */
function customField(fields: readonly { panel: number; field: number }[]): Sql {
  const panels = fields.map(({ panel }) => panel)
  const numbers = fields.map(({ field }) => field)
  return sql`transform(panel, ${bind('Array(UInt32)', panels)}, ${bind('Array(UInt32)', numbers)}, 0)`
}
