import { identifier, type Sql } from '../../base/sql.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import type { DimensionSource } from '../../catalog/dimensions.ts'
import type { LocalWindow } from '../../catalog/local-window.ts'
import { dimensionValue } from '../metric/dimension-value.ts'
import type { Aggregation } from '../../catalog/aggregations.ts'
import { leavesOf, type FilterTree } from '../../check/metric/filters/filter-tree.ts'
import type { AgentPoints } from '../../check/metric/per-agent.ts'
import { groupsByAgent, type PointStatistics } from '../../check/metric/point-statistics.ts'

/** A dimension of rollups: the name of its column in the rollup table, and the source of its values. */
export type RolledDimension = { readonly column: string; readonly source: DimensionSource }

/**
 * Each rollup is stored at several grains, each with fewer dimensions. A query reads the coarsest grain that has all
 * dimensions of the query. Agent ids, unit ids and custom fields are not dimensions of rollups, because they would need a row
 * per agent. Hours and `peak` are not, because a row is the sum of a day.
 */
export const grains = { none: 0, isp: 3, package: 4, agents: 1, every: 2 } as const
export type Grain = keyof typeof grains

/**
 * The kinds of dimension that each grain has, from the coarsest to the finest. Each grain has all kinds of the grain before it.
 */
const kindsOf: Record<Grain, readonly DimensionSource['kind'][]> = {
  none: [],
  isp: ['isp'],
  package: ['isp', 'package'],
  agents: ['isp', 'package', 'agent'],
  every: ['isp', 'package', 'agent', 'column'],
}

export const coarsestFirst: readonly Grain[] = ['none', 'isp', 'package', 'agents', 'every']

/** Returns null if rollups do not have this dimension. */
function rolledColumn(source: DimensionSource): string | null {
  if (source.kind === 'column') return source.column
  if (source.kind === 'custom' || source.kind === 'clock') return null
  if (source.kind !== 'agent') return `${source.kind}_id`
  return source.attribute === 'base' || source.attribute === 'country' ? source.attribute : null
}

/** Returns the dimensions of rollups: all dimensions of the catalogue, or the dimensions of one test. */
export function rolledDimensions(
  { dimensions }: Pick<Catalog, 'dimensions'>,
  test?: TestDefinition,
): RolledDimension[] {
  return dimensions.flatMap(({ source }) => {
    const column = rolledColumn(source)
    const isThere =
      source.kind !== 'column' || test === undefined || test.columns.some(({ name }) => name === source.column)
    return column === null || !isThere ? [] : [{ column, source }]
  })
}

export const isOfGrain = ({ source }: Pick<RolledDimension, 'source'>, grain: Grain): boolean =>
  kindsOf[grain].includes(source.kind)

/** Returns null if rollups do not have one of these dimensions. */
export function coarsestGrain(sources: readonly DimensionSource[]): Grain | null {
  if (sources.some((source) => rolledColumn(source) === null)) return null
  return coarsestFirst.find((grain) => sources.every((source) => isOfGrain({ source }, grain))) ?? null
}

/** The value of a dimension for a row of results, in the form in which rollups store it. */
export const rolledValue = (database: string, { source }: RolledDimension): Sql => dimensionValue(database, source).key

export function rolledKey(source: DimensionSource): Sql {
  const column = rolledColumn(source)
  // Reading a rollup that does not have this dimension would give a wrong but plausible result.
  if (column === null) throw new Error(`rollups have no column for ${source.kind}`)
  return identifier(column)
}

type RollupQuery = {
  readonly aggregation: Aggregation | null
  readonly percentiles: 'exact' | 'sketch' | 'none'
  readonly splits: readonly { readonly source: DimensionSource }[]
  readonly filters: readonly FilterTree<{
    readonly kind: 'leaf'
    readonly dimension: { readonly source: DimensionSource }
  }>[]
  readonly storedBefore?: Temporal.Instant
  readonly relativeTo?: 'plan'
  readonly window?: LocalWindow
  readonly compare?: unknown
} & Omit<PointStatistics, 'percentiles'> &
  AgentPoints

/**
 * Returns the coarsest grain that can answer a query. Returns null if only results can answer it: for raw points, exact
 * percentiles, intervals by agents, comparisons, points about agents, coverage, the effect of the prefilter, histograms,
 * buckets shorter than a day, windows, dimensions that rollups do not have, percentages of plan speeds, and exports.
 */
export function rolledGrain(query: RollupQuery): Grain | null {
  const { aggregation, percentiles, splits, filters, storedBefore, relativeTo, window } = query
  if (aggregation === null || aggregation.hours !== null || percentiles === 'exact') return null
  if (relativeTo !== undefined || window !== undefined || query.perAgent !== undefined) return null
  if (query.histogram !== undefined) return null
  if (storedBefore !== undefined || groupsByAgent(query)) return null
  const leaves = leavesOf(filters)
  return coarsestGrain([...splits.map(({ source }) => source), ...leaves.map(({ dimension: { source } }) => source)])
}
