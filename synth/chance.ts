import { createHash } from 'node:crypto'
import { bind, numberLiteral, sql, type Sql } from '../src/base/sql.ts'

/**
 * Random numbers that are the same in every run: each is a hash of a subject and a purpose. So a panel has the same rows
 * whenever and in whatever order they are generated. `of` is the subject, a column with a hash: `line` for traits of an agent,
 * `draw` for one result. For traits of a day or a week, add the number of the day or week to the hash. The purpose is hashed in
 * TypeScript, because each further function costs ClickHouse planning time, which is most of the time for a small panel.
 */
export function hash(of: Sql, purpose: string): Sql {
  const number = createHash('sha256').update(purpose).digest().readUIntLE(0, 6)
  return sql`intHash64(bitXor(${of}, ${numberLiteral(number)}))`
}

/** A uniform random number in [0, 1). */
export const chance = (purpose: string, of: Sql = sql`draw`): Sql => sql`(${hash(of, purpose)} / 18446744073709551616)`

/** A uniform random integer below `bound`. */
export const chanceBelow = (bound: Sql, purpose: string, of: Sql = sql`draw`): Sql =>
  sql`(${hash(of, purpose)} % (${bound}))`

/**
 * A standard normal random number. The number of ones among 64 random bits is nearly normal; a random fraction smooths the
 * steps between the integers. The expression uses no logarithm, so it is cheap and gives the same result on every processor.
 */
export const normal = (purpose: string, of: Sql = sql`draw`): Sql =>
  sql`((bitCount(${hash(of, purpose)}) - 32.5 + ${chance(purpose, of)}) / 4.01)`

/** A log-normal random number with median 1. `sigma` is the standard deviation of the logarithm. */
export const logNormal = (sigma: Sql, purpose: string, of: Sql = sql`draw`): Sql =>
  sql`exp((${sigma}) * ${normal(purpose, of)})`

/** A random position (from 1) in a list. The probability of a member is proportional to its `share`. */
export const pick = (list: readonly Weighted[], purpose: string, of: Sql = sql`draw`): Sql =>
  sql`toUInt8(arrayFirstIndex(bound -> ${chance(purpose, of)} < bound, ${bind('Array(Float64)', bounds(list))}))`

/** A random position in one of several lists; `which` is the position of the list. Equal lists are sent to ClickHouse once. */
export function pickBy(lists: readonly (readonly Weighted[])[], which: Sql, purpose: string, of: Sql): Sql {
  const different = new Map(lists.map((list) => [String(bounds(list)), bounds(list)]))
  const keys = [...different.keys()]
  const numbers = lists.map((list) => keys.indexOf(String(bounds(list))) + 1)
  return sql`toUInt8(arrayFirstIndex(bound -> ${chance(purpose, of)} < bound,
    ${bind('Array(Array(Float64))', [...different.values()])}[${bind('Array(UInt8)', numbers)}[${which}]]))`
}

type Weighted = { readonly share: number }

/** Upper bounds of the intervals of the members. Members after the first bound of 1 are omitted: `chance` is always below 1. */
function bounds(list: readonly Weighted[]): number[] {
  const total = list.reduce((sum, { share }) => sum + share, 0)
  let sum = 0
  const all = list.map(({ share }) => (sum += share) / total)
  return all.slice(0, all.indexOf(1) + 1)
}

/** A random member of a list. All members have the same probability. */
export const oneOf = (list: readonly string[], purpose: string, of: Sql = sql`draw`): Sql =>
  sql`${bind('Array(String)', list)}[1 + ${chanceBelow(sql`${bind('UInt32', list.length)}`, purpose, of)}]`
