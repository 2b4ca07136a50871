import type { Command } from 'commander'
import { newMeter } from '../../../base/audit.ts'
import { Fault } from '../../../base/fault.ts'
import { statement } from '../../../base/sql.ts'
import { catalog } from '../../../catalog/catalog.ts'
import { checkJson } from '../../../check/json.ts'
import { pointsMaxOf } from '../../../check/metric/distribution.ts'
import { answerStatement } from '../../../compile/metric/answer/answer-statement.ts'
import type { ResolvedFilter } from '../../../compile/metric/filter-condition.ts'
import { plansOf, type MetricPlan } from '../../../compile/metric/metric-plan.ts'
import { rawPoints } from '../../../compile/metric/raw-points.ts'
import { dayOf } from '../../../compile/rollup/rolled-days.ts'
import { readEstimate } from '../../../engine/clickhouse/query/read-estimate.ts'
import { asOperator, OperatorError } from '../../../engine/postgres/operator/operator.ts'
import { readOrganisation } from '../../../engine/postgres/operator/organisations.ts'
import { planMetricRequest } from '../../../execute/plan-metric-request.ts'
import { withRollups } from '../../../execute/with-rollups.ts'
import { rollupTerms } from '../../../compile/rollup/rollup-terms.ts'
import { adminUrl } from '../../config.ts'
import { closeStores, openStores, servedCatalog } from '../../wiring/open-stores.ts'
import { type CommandContext, settingsOf } from '../context.ts'
import { faultText } from '../fault-text.ts'

export function addExplainCommand(program: Command, context: CommandContext): void {
  program
    .command('explain <request>')
    .description(
      'show the plan of a metric request: SQL, parameters, and the number of rows that ClickHouse would read',
    )
    .requiredOption('--organisation <key>', 'organisation whose request it would be')
    .action((request: string, { organisation }: { organisation: string }) => explain(context, request, organisation))
}

async function explain(context: CommandContext, request: string, organisationKey: string): Promise<void> {
  const settings = settingsOf(context)
  const { id } = await asOperator(adminUrl(settings), (operator) => readOrganisation(operator, organisationKey))
  const scope = { organisationId: id }
  const stores = openStores(settings, () => {})
  let body: unknown
  try {
    body = checkJson(new TextEncoder().encode(request))
    const now = Temporal.Now.instant()
    const asked = await planMetricRequest(scope, stores, servedCatalog(settings), body, now)
    const origin = {
      endpoint: 'broadgauge explain',
      requestId: 'explain',
      panels: asked.panels,
      meter: newMeter(),
      signal: new AbortController().signal,
    }
    const terms = rollupTerms(catalog, settings.BROADGAUGE_RETENTION_DAYS)
    const plan = await withRollups(scope, stores, asked, terms, now, origin)
    const { database } = stores.clickhouse
    const { query } =
      plan.aggregation === null
        ? rawPoints(database, plan)
        : answerStatement(database, plan, plan.aggregation, pointsMaxOf(plan))
    const compiled = statement(query)
    const estimate = await readEstimate(scope, stores.clickhouse, compiled, origin, plan.test.key)
    context.write(
      [
        `Plan\n${JSON.stringify(shownPlan(plan), null, 2)}`,
        `SQL\n${compiled.text}`,
        `Parameters\n${Object.entries(compiled.params)
          .map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
          .join('\n')}`,
        `${[...new Set(plansOf(plan).map(readFrom))].join(' ')} ClickHouse would read about ${estimate.rows} rows: ${estimate.marks} marks of ${estimate.parts} parts.\n`,
      ].join('\n\n'),
    )
  } catch (error) {
    throw error instanceof Fault ? new OperatorError(faultText(error, body)) : error
  } finally {
    await closeStores(stores)
  }
}

function readFrom({ rolled }: MetricPlan): string {
  if (rolled === undefined) return 'All days are read from results.'
  const days = new Set(rolled.daysOfBuilds.map(dayOf))
  const elsewhere = rolled.rest.length === 0 ? '' : ', the other days from results'
  return `${days.size} days are read from rollups (${rolled.grain})${elsewhere}.`
}

/** The plan without the parts that the SQL shows better. */
function shownPlan(plan: MetricPlan): object {
  const { metric, test, splits, filters, offsets: _offsets, rolled: _rolled, each, aggregation, ...rest } = plan
  return {
    ...(each === undefined
      ? { metric: metric.key, test: test.key }
      : { metrics: each.map((one) => ({ metric: one.metric.key, test: one.test.key })) }),
    aggregation: aggregation?.key ?? 'raw',
    ...rest,
    splits: splits.map(({ id }) => id),
    filters: filters.map(shownFilter),
  }
}

function shownFilter(filter: ResolvedFilter): object {
  if (filter.kind === 'not') return { not: shownFilter(filter.of) }
  if (filter.kind !== 'leaf') return { [filter.kind]: filter.of.map(shownFilter) }
  const { dimension, type, values, ids } = filter
  return { id: dimension.id, type, values, ids }
}
