import { bind, identifier, join, sql, type Sql } from '../../base/sql.ts'
import type { Aggregation } from '../../catalog/aggregations.ts'
import type { GroupedPoints } from '../metric/grouped-points.ts'
import type { Alias } from '../metric/local-time.ts'
import type { MetricPlan } from '../metric/metric-plan.ts'
import { anyTime } from '../metric/clock/week.ts'
import { blockAliases, inBlockOrder, normalisedSpread } from '../metric/normalise.ts'
import { plainSpread, type Spread, type Step } from '../metric/statistics.ts'
import { aliased, samples, withAliases } from '../metric/samples.ts'
import type { RolledDays } from './rolled-days.ts'
import { everyBlock } from './rollup-table.ts'
import { storedCells } from './stored-cells.ts'
import { sketchedPercentiles } from './sketch.ts'
import {
  cellName,
  distinctAgents,
  distinctUnits,
  measureColumns,
  results,
  sketchSum,
  type RolledSum,
} from './rollup-columns.ts'

/** The aggregates that a query needs for its points. */
const neededColumns = (database: string, { metric: { measure }, percentiles }: MetricPlan): readonly RolledSum[] => [
  results,
  distinctAgents,
  distinctUnits(database),
  ...measureColumns(measure),
  ...(percentiles === 'sketch' ? [sketchSum(measure.kind)] : []),
]

/**
 * Computes points from results and rollups. The statement merges the cells of both: aggregates by point and, for normalised
 * points, by schedule block. All later steps are the same as for points from results alone.
 */
export function mergedPoints(
  database: string,
  plan: MetricPlan,
  rolled: RolledDays,
  aggregation: Aggregation,
  keys: readonly Alias[],
): GroupedPoints {
  const sums = neededColumns(database, plan)
  const cells = [
    ...(rolled.rest.length === 0 ? [] : [resultCells(database, plan, aggregation, keys, sums)]),
    storedCells(database, plan, rolled, aggregation, keys, sums),
    // Each part of the UNION ALL is a nested SELECT, because otherwise the aliases of the first part would also apply to the
    // second part.
  ].reduce((all, one) => sql`SELECT * FROM (\n${all}\n)\nUNION ALL\n${one}`)
  return plan.normalised ? evenPoints(plan, keys, sums, cells) : plainPoints(plan, keys, sums, cells)
}

/** Computes cells from results: for the whole range of the query, or for the ranges that rollups do not cover. */
function resultCells(
  database: string,
  plan: MetricPlan,
  aggregation: Aggregation,
  keys: readonly Alias[],
  sums: readonly RolledSum[],
): Sql {
  const { aliases, from } = samples(database, plan)
  const blocks = plan.normalised ? blockAliases(plan.test.schedule, aggregation, anyTime) : []
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
  least_wide: 'least',
  greatest_wide: 'greatest',
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
  return { points, spread: withSketch(plan, plainSpread(plan), [everyOne]), afterwards: [] }
}

/**
 * Computes normalised points. Counts agents and units in all rows, also in the rows for all schedule blocks together
 * (`everyBlock`): only these rows of a rollup have the bitmaps. Computes means and percentiles only from the rows for single
 * blocks.
 */
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
          sql`${isCounted(sum) ? sum.ofRollup(identifier(cellName(sum))) : sum.finally(identifier(cellName(sum)))} AS ${identifier(`block_${finalName(sum)}`)}`,
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
  return { points, spread: withSketch(plan, normalisedSpread(plan), []), afterwards: [] }
}

const isCounted = ({ name }: RolledSum): boolean => name === 'agents' || name === 'units'

const withSketch = (plan: MetricPlan, spread: Spread, before: readonly Step[]): Spread =>
  plan.percentiles === 'sketch'
    ? { ...spread, steps: [...spread.steps, ...before, ...sketchedPercentiles(plan)] }
    : spread
