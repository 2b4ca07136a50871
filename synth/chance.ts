import { bind, literal, sql, type Sql } from '../src/base/sql.ts'

/**
 * Chance without dice: every value is a hash of what it belongs to and of what it is for, so that a panel is the same
 * rows whenever, wherever and in whatever order it is made. `of` is a column holding a hash: `line` for what stays with
 * an agent, `draw` for what belongs to one result. The purpose is hashed once for the whole query.
 */
const hash = (of: Sql, purpose: string): Sql => sql`intHash64(bitXor(${of}, cityHash64(${literal(purpose)})))`

/** Evenly between 0 and 1. */
export const chance = (purpose: string, of: Sql = sql`draw`): Sql => sql`(${hash(of, purpose)} / 18446744073709551616)`

/** A whole number below `bound`. */
export const chanceBelow = (bound: Sql, purpose: string, of: Sql = sql`draw`): Sql =>
  sql`(${hash(of, purpose)} % (${bound}))`

/**
 * Normal, mean 0 and deviation 1: the ones among 64 random bits are as good as normal, and the fraction smooths the
 * steps between their numbers. No logarithms, so it is cheap and the same on every processor.
 */
export const normal = (purpose: string, of: Sql = sql`draw`): Sql =>
  sql`((bitCount(${hash(of, purpose)}) - 32.5 + ${chance(purpose, of)}) / 4.01)`

/** Log-normal with median 1; `sigma` is the deviation of the logarithm. */
export const logNormal = (sigma: Sql, purpose: string, of: Sql = sql`draw`): Sql =>
  sql`exp((${sigma}) * ${normal(purpose, of)})`

/** The position (from 1) in a list whose members are as likely as their shares say. */
export function pick(list: readonly { readonly share: number }[], purpose: string, of: Sql = sql`draw`): Sql {
  const total = list.reduce((sum, { share }) => sum + share, 0)
  let sum = 0
  const upTo = list.map(({ share }) => (sum += share) / total)
  // The last bound is 1, and chance stays below it.
  return sql`toUInt8(arrayFirstIndex(bound -> ${chance(purpose, of)} < bound, ${bind('Array(Float64)', upTo)}))`
}

/** One of a list, all as likely as each other. */
export const oneOf = (list: readonly string[], purpose: string, of: Sql = sql`draw`): Sql =>
  sql`${bind('Array(String)', list)}[1 + ${chanceBelow(sql`${bind('UInt32', list.length)}`, purpose, of)}]`
