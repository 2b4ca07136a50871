import { bind, identifier, join, sql, type Sql } from '../../base/sql.ts'
import type { Aggregation } from '../../catalog/aggregations.ts'
import type { GroupedPoints } from '../metric/grouped-points.ts'
import type { Alias } from '../metric/local-time.ts'
import type { MetricPlan } from '../metric/metric-plan.ts'
import { blockAliases, inBlockOrder, normalisedSpread } from '../metric/normalise.ts'
import { plainSpread, type Spread, type Step } from '../metric/statistics.ts'
import { aliased, samples, withAliases } from '../metric/samples.ts'
import { everyBlock } from './rollup-table.ts'
import { storedCells } from './stored-cells.ts'
import { sketchedPercentiles } from './sketch.ts'
import { cellName, distinctAgents, distinctUnits, measureSums, results, sketchSum, type RolledSum } from './sums.ts'

/** The sums a question needs. */
const neededSums = (database: string, { metric: { measure }, percentiles }: MetricPlan): readonly RolledSum[] => [
  results,
  distinctAgents,
  distinctUnits(database),
  ...measureSums(measure.kind),
  ...(percentiles === 'sketch' ? [sketchSum(measure.kind)] : []),
]

/** Points whose parts may come from results and from sums: cells of both, put together, and then as always. */
export function mergedPoints(
  database: string,
  plan: MetricPlan,
  aggregation: Aggregation,
  keys: readonly Alias[],
): GroupedPoints {
  const sums = neededSums(database, plan)
  const cells = [
    ...(plan.rolled?.rest.length === 0 ? [] : [resultCells(database, plan, aggregation, keys, sums)]),
    ...(plan.rolled === undefined ? [] : [storedCells(database, plan, plan.rolled, aggregation, keys, sums)]),
    // Nested: names given in the first would be looked for in the second too.
  ].reduce((all, one) => sql`SELECT * FROM (\n${all}\n)\nUNION ALL\n${one}`)
  return plan.normalised ? evenPoints(plan, keys, sums, cells) : plainPoints(plan, keys, sums, cells)
}

/** Cells of a question that results answer, all of it or what sums leave. */
function resultCells(
  database: string,
  plan: MetricPlan,
  aggregation: Aggregation,
  keys: readonly Alias[],
  sums: readonly RolledSum[],
): Sql {
  const { aliases, from } = samples(database, plan)
  const blocks = plan.normalised ? blockAliases(plan.test.schedule, aggregation) : []
  const columns = [
    ...keys,
    ...sums.map((sum) => ({ name: cellName(sum), value: sum.ofRows })),
    ...(plan.normalised ? [{ name: 'cell_hours', value: sql`any(block_hours)` }] : []),
  ]
  const grouped = [...keys.map(({ name }) => identifier(name)), ...(plan.normalised ? [sql`block`] : [])]
  return sql`${withAliases([...aliases, ...blocks])}
SELECT
  ${plan.normalised ? sql`block,\n  ` : sql``}${join(columns.map(aliased), ',\n  ')}
${from}
GROUP BY ${join(grouped, ', ')}`
}

const finals = (sums: readonly RolledSum[]): Alias[] =>
  sums.map((sum) => ({ name: finalName(sum), value: sum.finally(identifier(cellName(sum))) }))

const finalNames: Record<string, string> = {
  results: 'sample_count',
  agents: 'agent_count',
  units: 'unit_count',
  least_percentage: 'least',
  greatest_percentage: 'greatest',
}
const finalName = ({ name }: RolledSum): string => finalNames[name] ?? name

function plainPoints(plan: MetricPlan, keys: readonly Alias[], sums: readonly RolledSum[], cells: Sql): GroupedPoints {
  const names = keys.map(({ name }) => identifier(name))
  const points = sql`SELECT
  ${join([...names, ...finals(sums).map(aliased)], ',\n  ')}
FROM (
${cells}
)
GROUP BY ${join(names, ', ')}`
  const everyOne: Step = [
    { name: 'weight', value: sql`toFloat64(sample_count)` },
    { name: 'effective', value: sql`toFloat64(sample_count)` },
  ]
  return { points, spread: withSketch(plan, plainSpread(plan), [everyOne]) }
}

/** Rows of all blocks together only tell how many agents and units there are. */
function evenPoints(plan: MetricPlan, keys: readonly Alias[], sums: readonly RolledSum[], cells: Sql): GroupedPoints {
  const names = keys.map(({ name }) => identifier(name))
  const isBlock = sql`block != ${bind('UInt8', everyBlock)}`
  const blocks = sql`SELECT
  ${join(
    [
      ...names,
      sql`block`,
      sql`max(cell_hours) AS block_hours`,
      ...sums.map(
        (sum) =>
          sql`${isCounted(sum) ? sum.ofSums(identifier(cellName(sum))) : sum.finally(identifier(cellName(sum)))} AS ${identifier(`block_${finalName(sum)}`)}`,
      ),
    ],
    ',\n  ',
  )}
FROM (
${cells}
)
GROUP BY ${join(names, ', ')}, block`
  const each = ['hours', ...sums.filter((sum) => !isCounted(sum) && sum.name !== 'sketch').map(finalName)].filter(
    (name) => name !== 'least' && name !== 'greatest',
  )
  const points = sql`SELECT
  ${join(
    [
      ...names,
      sql`sumIf(block_sample_count, ${isBlock}) AS sample_count`,
      sql`groupBitmapMerge(block_agent_count) AS agent_count`,
      sql`groupBitmapMerge(block_unit_count) AS unit_count`,
      sql`min(block_least) AS least`,
      sql`max(block_greatest) AS greatest`,
      ...each.map((name) => {
        const shown = name === 'sample_count' ? 'results' : name
        const values = sql`groupArrayIf(${identifier(`block_${name}`)}, ${isBlock})`
        return sql`${inBlockOrder(values, sql`groupArrayIf(block, ${isBlock})`)} AS ${identifier(`each_${shown}`)}`
      }),
      ...(plan.percentiles === 'sketch'
        ? [
            sql`sumMapIf(block_sketch.1, arrayMap(c -> c * block_hours / block_sample_count, block_sketch.2), ${isBlock}) AS sketch`,
          ]
        : []),
    ],
    ',\n  ',
  )}
FROM (
${blocks}
)
GROUP BY ${join(names, ', ')}`
  return { points, spread: withSketch(plan, normalisedSpread(plan), []) }
}

const isCounted = ({ name }: RolledSum): boolean => name === 'agents' || name === 'units'

const withSketch = ({ percentiles }: MetricPlan, spread: Spread, before: readonly Step[]): Spread =>
  percentiles === 'sketch' ? { ...spread, steps: [...spread.steps, ...before, ...sketchedPercentiles] } : spread
