import { decimalLiteral, join, numberLiteral, sql, type Sql } from '../../../base/sql.ts'
import { percentileLevelsDefault } from '../../../check/metric/point-numbers.ts'
import type { PointStatistics } from '../../../check/metric/point-statistics.ts'

type Asked = Pick<PointStatistics, 'percentileLevels'>

const medianLevel = 50

/** The percentiles that a statement computes. A point also has its median if the request does not name level 50. */
type PercentileLevels = {
  /** The keys of `percentiles` and `percentileIntervals` in a response. */
  readonly keys: readonly string[]
  /** The levels of `keys`, from 0 to 1. */
  readonly fractions: readonly number[]
  /** The positions of `fractions` in `all`. The first position is 1. */
  readonly positions: readonly Sql[]
  /** Every computed level, ascending. */
  readonly all: readonly number[]
  readonly medianPosition: Sql
}

export function percentileLevelsOf({ percentileLevels = percentileLevelsDefault }: Asked): PercentileLevels {
  const computed = [...new Set([...percentileLevels, medianLevel])].toSorted((one, other) => one - other)
  const positionOf = (level: number): Sql => numberLiteral(computed.indexOf(level) + 1)
  return {
    keys: percentileLevels.map(String),
    fractions: percentileLevels.map(fractionOf),
    positions: percentileLevels.map(positionOf),
    all: computed.map(fractionOf),
    medianPosition: positionOf(medianLevel),
  }
}

/** The keys of `percentiles`, in the order of the arrays that ClickHouse returns. */
export const percentileKeys = (asked: Asked): readonly string[] => percentileLevelsOf(asked).keys

/**
 * Divides a level by 100. 99.9 / 100 is not the number 0.999, so the function changes the exponent in the text of the level.
 */
export function fractionOf(level: number): number {
  const [digits = '', exponent = '0'] = String(level).split('e')
  return Number(`${digits}e${Number(exponent) - 2}`)
}

/**
 * Writes fractions as literals, for places where ClickHouse accepts no parameter: the levels of an aggregate function, and an
 * array.
 */
export const fractionList = (fractions: readonly number[]): Sql => join(fractions.map(decimalLiteral), ', ')

/** Selects the levels of the response from the computed levels. */
export const shownLevels = ({ positions, all }: PercentileLevels): Sql =>
  positions.length === all.length
    ? sql`levels`
    : sql`[${join(
        positions.map((position) => sql`levels[${position}]`),
        ', ',
      )}]`
