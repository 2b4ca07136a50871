import type { Point } from '../api/metric-data.ts'
import type { Aggregation } from '../explore/aggregations.ts'
import { allBuckets, bucketOf } from './buckets.ts'
import type { Series } from './series.ts'

/** Series that have the same buckets. A value is null if the series has no results in that bucket. */
export type Aligned = {
  readonly buckets: readonly number[]
  readonly columns: readonly { readonly series: Series; readonly points: readonly (Point | null)[] }[]
}

export function align(series: readonly Series[], aggregation: Aggregation): Aligned {
  const found = series.map(({ points }) => new Map(points.map((point) => [bucketOf(point), point])))
  const buckets = allBuckets(
    found.flatMap((points) => [...points.keys()]),
    aggregation,
  )
  const columns = series.map((one, index) => ({
    series: one,
    points: buckets.map((bucket) => found[index]?.get(bucket) ?? null),
  }))
  return { buckets, columns }
}
