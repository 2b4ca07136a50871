import { sql } from '../../base/sql.ts'
import type { Grain } from './grains.ts'

/** Seconds of local time, both included. */
type Range = { readonly from: number; readonly to: number }

/** Which days of a question are answered from sums, and what is left for the results. */
export type RolledDays = {
  readonly grain: Grain
  /** The builds that hold each day, as `dayOfBuild` writes them. */
  readonly daysOfBuilds: readonly number[]
  /** First and last of the days, for the engine to skip by. */
  readonly days: { readonly first: number; readonly last: number }
  /** What else was asked for. */
  readonly rest: readonly Range[]
}

const daySeconds = 86_400

/** More pieces than this cost the engine more than the days between them. */
const piecesMax = 40

/** The days that lie in the range from their first second to their last, counted from 1970. */
export const wholeDays = ({ from, to }: Range): { first: number; last: number } => ({
  first: Math.ceil(from / daySeconds),
  last: Math.floor((to + 1) / daySeconds) - 1,
})

/** `good` has the builds of each day that sums can answer. Null when there is none. */
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

/** A day and a build in one number: a build has several days, and some of them may be another's by now. */
export const dayOfBuild = sql`build * 65536 + toUInt16(day)`
const buildStep = 65_536
/** The day in such a number. */
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
