import { boundName, identifier, join, sql, type Sql } from '../../base/sql.ts'
import { explainsPrefilter } from '../../check/metric/point-statistics.ts'
import { agentAttribute, dimensionValue } from './dimension-value.ts'
import { removedBy } from './explained-prefilter.ts'
import { wallClockText } from './local-time.ts'
import type { MetricPlan } from './metric-plan.ts'
import { ofPage } from './page/keyset.ts'
import { samples, withAliases } from './samples.ts'
import { resultValue } from './statistics.ts'
import { isShownAsNumber, type DimensionSource } from '../../catalog/dimensions.ts'

/** A statement and the names of its columns. */
export type RawPoints = { readonly columns: readonly string[]; readonly query: Sql }

/**
 * Returns one point per result, in the sort order of the table, so that ClickHouse need not sort. An outer SELECT gives the
 * columns their names. In a single SELECT, ClickHouse would also use the new `agent` and `dtime` inside the other expressions.
 * The name of a custom field is text from a caller, so it is bound like a value.
 */
export function rawPoints(database: string, plan: MetricPlan, cell: Cell = asStored): RawPoints {
  const { aliases, from } = samples(database, plan)
  const unit = sql`toString(${agentAttribute(database, 'unit_id', sql`agent`)})`
  const columns = (
    [
      { id: 'metricValue', content: 'number', value: resultValue(plan) },
      { id: 'dtime', content: 'label', value: wallClockText(sql`toDateTime(local_second, 'UTC')`) },
      { id: 'agent', content: 'text', value: agentAttribute(database, 'agent_id', sql`agent`) },
      { id: 'unit', content: 'text', value: unit },
      ...plan.splits
        .filter(({ id }) => id !== 'agent' && id !== 'unit')
        .map(({ id, source }) => {
          const { key, shown } = dimensionValue(database, source)
          return { id, content: contentOf(source), value: shown(key) }
        }),
      ...(explainsPrefilter(plan) ? [{ id: 'removedBy', content: 'list' as const, value: removedBy(plan) }] : []),
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
ORDER BY panel, toDate(dtime), agent, ${join(order, ', ')}${ofPage(plan)}
)`,
  }
}

/** Selects columns of the rows of `rawPoints`, before its page is cut. */
export function rawRows(database: string, plan: MetricPlan): (columns: Sql) => Sql {
  const { aliases, from } = samples(database, plan)
  return (columns) => sql`${withAliases(aliases)}\nSELECT ${columns}\n${from}`
}

/** What a column contains. `text` is text from outside, `number` a computed number, `list` an array, `label` anything else. */
export type Content = 'text' | 'number' | 'list' | 'label'

/** Formats a value of a column for the response or file. */
export type Cell = (content: Content, value: Sql) => Sql

/** For JSON responses, which need no conversion. */
const asStored: Cell = (_content, value) => value

export const contentOf = (source: DimensionSource): Content => (isShownAsNumber(source) ? 'label' : 'text')
