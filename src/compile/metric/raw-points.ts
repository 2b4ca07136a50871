import { boundName, identifier, join, sql, type Sql } from '../../base/sql.ts'
import { agentAttribute, dimensionValue } from './dimension-value.ts'
import { wallClockText } from './local-time.ts'
import type { MetricPlan } from './metric-plan.ts'
import { samples, withAliases } from './samples.ts'
import { inUnit } from './statistics.ts'
import type { DimensionSource } from '../../catalog/dimensions.ts'

/** A statement that knows what it gives. */
export type RawPoints = { readonly columns: readonly string[]; readonly query: Sql }

/**
 * One point a result, in the order results are stored in: the engine reads instead of sorting. Names are given one level
 * further out, because the engine would take `agent` or `dtime` for the new meaning everywhere. The name of a custom field
 * is the caller's own text, so it is bound like a value.
 */
export function rawPoints(database: string, plan: MetricPlan, cell: Cell = asStored): RawPoints {
  const { aliases, from } = samples(database, plan)
  const unit = sql`toString(${agentAttribute(database, 'unit_id', sql`agent`)})`
  const value = plan.metric.measure.kind === 'value' ? inUnit(plan, sql`toFloat64(number)`) : sql`percentage`
  const columns = (
    [
      { id: 'metricValue', content: 'number', value },
      { id: 'dtime', content: 'label', value: wallClockText(sql`toDateTime(local_second, 'UTC')`) },
      { id: 'agent', content: 'text', value: agentAttribute(database, 'agent_id', sql`agent`) },
      { id: 'unit', content: 'text', value: unit },
      ...plan.splits
        .filter(({ id }) => id !== 'agent' && id !== 'unit')
        .map(({ id, source }) => {
          const { key, shown } = dimensionValue(database, source)
          return { id, content: contentOf(source), value: shown(key) }
        }),
    ] satisfies { id: string; content: Content; value: Sql }[]
  ).map((column, index) => ({ ...column, inner: identifier(`column${index + 1}`) }))
  const order = ['dtime', ...plan.test.identity].map(identifier)
  return {
    columns: columns.map(({ id }) => id),
    query: sql`SELECT
  ${join(
    columns.map(({ id, content, inner }) => sql`${cell(content, inner)} AS ${boundName(id)}`),
    ',\n  ',
  )}
FROM (
${withAliases(aliases)}
SELECT
  ${join(
    columns.map(({ value: expression, inner }) => sql`${expression} AS ${inner}`),
    ',\n  ',
  )}
${from}
ORDER BY panel, toDate(dtime), agent, ${join(order, ', ')}
)`,
  }
}

/** What a column of an answer holds: text that people have chosen, a computed number, or anything else. */
export type Content = 'text' | 'number' | 'label'

/** How a value is written in one cell of an answer. */
export type Cell = (content: Content, value: Sql) => Sql

/** As the engine has it; JSON takes care of itself. */
const asStored: Cell = (_content, value) => value

export const contentOf = (source: DimensionSource): Content =>
  source.kind === 'column' && source.number ? 'label' : 'text'
