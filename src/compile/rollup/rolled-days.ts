import { sql } from '../../base/sql.ts'
import type { Grain } from './grains.ts'

/** A range in seconds of local time. Both ends are included. */
type Range = { readonly from: number; readonly to: number }

/** Says which days of a query are read from rollups, and which ranges from results. */
export type RolledDays = {
  readonly grain: Grain
  /** One number per day and build, as `dayOfBuild` encodes them. */
  readonly daysOfBuilds: readonly number[]
  /** The first and the last day that is read from rollups. ClickHouse uses them to skip granules. */
  readonly days: { readonly first: number; readonly last: number }
  /** The ranges for which the query reads results, because it cannot read rollups. */
  readonly rest: readonly Range[]
}

const daySeconds = 86_400

/**
 * Maximum number of separate runs of days that are read from rollups. With more runs, ClickHouse would need more time for the
 * condition than for reading the days between the runs.
 */
const piecesMax = 40

/** The days that are completely inside the range, in days since 1970. */
export const wholeDays = ({ from, to }: Range): { first: number; last: number } => ({
  first: Math.ceil(from / daySeconds),
  last: Math.floor((to + 1) / daySeconds) - 1,
})

/**
 * `good` maps each day that the query can read from rollups to the builds of this day. Returns null if the query can read no
 * day of the range from rollups.
 */
export function rolledDays(
  { from, to }: Range,
  grain: Grain,
  good: ReadonlyMap<number, readonly number[]>,
): RolledDays | null {
  const { first, last } = wholeDays({ from, to })
  const runs = runsOf([...good.keys()].filter((day) => day >= first && day <= last)).slice(-piecesMax)
  const [firstRun, lastRun] = [runs[0], runs.at(-1)]
  if (firstRun === undefined || lastRun === undefined) return null
  const edges = [from, ...runs.flatMap((run) => [run.first * daySeconds, (run.last + 1) * daySeconds]), to + 1]
  const rest = edges.flatMap((start, index) => {
    const end = edges[index + 1]
    return index % 2 === 0 && end !== undefined && end > start ? [{ from: start, to: end - 1 }] : []
  })
  const daysOfBuilds = runs.flatMap((run) =>
    daysOf(run).flatMap((day) => (good.get(day) ?? []).map((build) => build * buildStep + day)),
  )
  return { grain, daysOfBuilds, days: { first: firstRun.first, last: lastRun.last }, rest }
}

/**
 * Encodes a day and a build in one number. The pair is necessary: a build covers several days, and a later build can have
 * replaced some of them.
 */
export const dayOfBuild = sql`build * 65536 + toUInt16(day)`
const buildStep = 65_536
export const dayOf = (dayAndBuild: number): number => dayAndBuild % buildStep

type Run = { readonly first: number; readonly last: number }

function runsOf(days: readonly number[]): Run[] {
  const runs: Run[] = []
  for (const day of days.toSorted((one, other) => one - other)) {
    const previous = runs.at(-1)
    if (previous?.last === day - 1) runs[runs.length - 1] = { first: previous.first, last: day }
    else runs.push({ first: day, last: day })
  }
  return runs
}

const daysOf = ({ first, last }: Run): number[] => Array.from({ length: last - first + 1 }, (_, index) => first + index)
