import { identifier, type Sql } from '../../base/sql.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { TestDefinition } from '../../catalog/define-test.ts'
import type { DimensionSource } from '../../catalog/dimensions.ts'
import { dimensionValue } from '../metric/dimension-value.ts'
import type { Aggregation } from '../../catalog/aggregations.ts'

/** A dimension whose values sums are kept by: the column of the rollup, and where rows have it from. */
export type RolledDimension = { readonly column: string; readonly source: DimensionSource }

/**
 * Sums are kept several times, by ever fewer dimensions: a question takes the coarsest that can answer it. Who an agent is,
 * and what an organisation says of it, are none of them: that would be a row for each.
 */
export const grains = { none: 0, isp: 3, package: 4, agents: 1, every: 2 } as const
export type Grain = keyof typeof grains

/** The kinds of dimension each grain has, the coarsest first: each has those of the one before. */
const kindsOf: Record<Grain, readonly DimensionSource['kind'][]> = {
  none: [],
  isp: ['isp'],
  package: ['isp', 'package'],
  agents: ['isp', 'package', 'agent'],
  every: ['isp', 'package', 'agent', 'column'],
}

export const coarsestFirst: readonly Grain[] = ['none', 'isp', 'package', 'agents', 'every']

/** Null for what sums are not kept by. */
function rolledColumn(source: DimensionSource): string | null {
  if (source.kind === 'column') return source.column
  if (source.kind === 'custom') return null
  if (source.kind !== 'agent') return `${source.kind}_id`
  return source.attribute === 'base' || source.attribute === 'country' ? source.attribute : null
}

/** Those of the catalogue, or of one test. */
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

/** Null when sums cannot answer by these. */
export function coarsestGrain(sources: readonly DimensionSource[]): Grain | null {
  if (sources.some((source) => rolledColumn(source) === null)) return null
  return coarsestFirst.find((grain) => sources.every((source) => isOfGrain({ source }, grain))) ?? null
}

/** The value of a row, as the rollup keeps it. */
export const rolledValue = (database: string, { source }: RolledDimension): Sql => dimensionValue(database, source).key

export function rolledKey(source: DimensionSource): Sql {
  const column = rolledColumn(source)
  // Sums by nothing would look like an answer.
  if (column === null) throw new Error(`sums are not kept by ${source.kind}`)
  return identifier(column)
}

type Question = {
  readonly aggregation: Aggregation | null
  readonly percentiles: 'exact' | 'sketch' | 'none'
  readonly splits: readonly { readonly source: DimensionSource }[]
  readonly filters: readonly { readonly dimension: { readonly source: DimensionSource } }[]
  readonly storedBefore?: Temporal.Instant
}

/** Null when only results can answer: exact percentiles, parts of days, what rollups do not hold, files. */
export function rolledGrain({ aggregation, percentiles, splits, filters, storedBefore }: Question): Grain | null {
  if (aggregation === null || aggregation.hours !== null || percentiles === 'exact') return null
  if (storedBefore !== undefined) return null
  return coarsestGrain([...splits.map(({ source }) => source), ...filters.map(({ dimension: { source } }) => source)])
}
