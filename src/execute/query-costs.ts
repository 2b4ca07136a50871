import type { QueryMeter } from '../base/audit.ts'
import type { MetricPlan } from '../compile/metric/metric-plan.ts'
import { groupsByAgent } from '../check/metric/point-statistics.ts'

/** A range of seconds: 19 of 20 queries take at least the first and at most the second number. */
export type Seconds = readonly [low: number, high: number]

/** The parts of a plan that determine how long ClickHouse takes for a row. Queries of the same shape take similarly long. */
export type QueryShape = Pick<
  MetricPlan,
  | 'test'
  | 'aggregation'
  | 'normalised'
  | 'percentiles'
  | 'splits'
  | 'rolled'
  | 'intervals'
  | 'fields'
  | 'include'
  | 'perAgent'
  | 'compare'
  | 'each'
  | 'totalPlans'
>

/** The number of queries that an instance remembers, and the number of queries that it needs to compute a range. */
const rememberedMax = 1_000
const neededMin = 30

/** The range around the expected time if the instance has run too few queries. */
const unknownRange: Seconds = [0.25, 4]

/** The share of the remembered queries that take less time than the range, and the share that take more. */
const tail = 0.025

/**
 * Estimates how long queries take, from the last queries of this instance. It remembers the time of each query, divided by
 * `expectedSeconds`. If the instance has run too few queries of a shape, the estimate uses the queries of all shapes, and its
 * range is wider. The times are not stored, because an instance has run thirty queries soon after its start.
 */
export class QueryCosts {
  readonly #remembered: { readonly shape: string; readonly ratio: number }[] = []

  /**
   * Remembers the time of a query. The query must have ended. Queries of several metrics or with totals are not remembered,
   * because their time is that of several queries.
   */
  record(shape: QueryShape, { rowsRead, engineMs }: Pick<QueryMeter, 'rowsRead' | 'engineMs'>): void {
    if (rowsRead === null || shape.each !== undefined || shape.totalPlans !== undefined) return
    this.#remembered.push({ shape: keyOf(shape), ratio: engineMs / 1000 / expectedSeconds(shape, rowsRead) })
    if (this.#remembered.length > rememberedMax) this.#remembered.shift()
  }

  estimate(shape: QueryShape, rowsRead: number): Seconds {
    const expected = expectedSeconds(shape, rowsRead)
    const key = keyOf(shape)
    const same = this.#remembered.filter((one) => one.shape === key)
    const like = same.length < neededMin ? this.#remembered : same
    const [low, high] = like.length < neededMin ? unknownRange : rangeOf(like.map(({ ratio }) => ratio))
    return [roundedSeconds(low * expected), roundedSeconds(high * expected)]
  }
}

/** Rounds to two significant digits, because the estimate is not more precise. */
export const roundedSeconds = (seconds: number): number => Number(seconds.toPrecision(2))

function rangeOf(ratios: readonly number[]): Seconds {
  const sorted = ratios.toSorted((one, two) => one - two)
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? 1
  return [at(tail), at(1 - tail)]
}

function keyOf(shape: QueryShape): string {
  const { test, aggregation, normalised, percentiles, splits, rolled } = shape
  const kinds = splits.map(({ source }) => source.kind).toSorted()
  return JSON.stringify([
    test.key,
    aggregation?.hours ?? aggregation?.label ?? 'raw',
    normalised,
    percentiles,
    groupsByAgent(shape) || shape.perAgent !== undefined,
    kinds,
    rolled !== undefined,
  ])
}

/**
 * Returns roughly how long ClickHouse takes on two cores: the time to plan the statement, plus the time for each row. The
 * numbers are from docs/scaling.md. On other machines only their proportions matter, because an instance learns from its own
 * queries.
 */
function expectedSeconds(shape: QueryShape, rowsRead: number): number {
  const { aggregation, normalised, percentiles, rolled } = shape
  if (aggregation === null) return 0.05 + rowsRead * 1e-6
  const planning = normalised ? 0.3 : 0.08
  const ofAgents =
    groupsByAgent(shape) || shape.perAgent !== undefined
      ? aggregation.hours === 1 && aggregation.label === 'time'
        ? 2.5
        : 1.1
      : 1
  const ofPercentiles = percentiles === 'none' ? 1 : normalised ? 2 : 1.25
  const ofRow = rolled === undefined ? 0.2e-6 : 2e-6
  return planning + rowsRead * ofRow * (normalised ? 1.3 : 1) * ofAgents * ofPercentiles
}
