import { describe, expect, it } from 'vitest'
import { sql } from '../../../src/base/sql.ts'
import { catalog } from '../../../src/catalog/catalog.ts'
import { identityOf, parsed, stored } from '../../../src/compile/ingest/cell-values.ts'
import {
  acceptedRows,
  flawedRows,
  validatedRows,
  keyOf,
  type Validation,
} from '../../../src/compile/ingest/validate-rows.ts'
import type { RowSource } from '../../../src/compile/ingest/row-source.ts'
import { shown } from '../shown.ts'
import { small } from './small-test.ts'

const source: RowSource = { select: sql`SELECT rows`, format: 'CSV', settings: {} }
const validation: Validation = { test: small, database: 'bg', panels: [3, 7], nowMs: Date.UTC(2026, 0, 2) }

/** The condition, the reason and the column of each check, in the order in which the SQL applies the checks. */
const flaws: [string, string, string][] = [
  ['malformed', 'malformed_row', "''"],
  ['isNotNull(unexpected)', 'unexpected_column', "substringUTF8(ifNull(unexpected, ''), 1, 255)"],
  ["nested != ''", 'wrong_type', 'nested'],
  ["c_agent_id = ''", 'missing_value', "'agent_id'"],
  ["c_dtime = ''", 'missing_value', "'dtime'"],
  ["c_target = ''", 'missing_value', "'target'"],
  ["c_successes = ''", 'missing_value', "'successes'"],
  ["isNull(v_rtt) AND c_rtt != ''", 'wrong_type', "'rtt'"],
  ["isNull(v_speed) AND c_speed != ''", 'wrong_type', "'speed'"],
  ["isNull(v_sequence) AND c_sequence != ''", 'wrong_type', "'sequence'"],
  ["isNull(v_ip_version) AND c_ip_version != ''", 'wrong_type', "'ip_version'"],
  ["isNull(v_successes) AND c_successes != ''", 'wrong_type', "'successes'"],
  ['length(c_target) > 2048', 'too_long', "'target'"],
  ['length(c_address) > 2048', 'too_long', "'address'"],
  ["NOT is_time OR at < toDateTime64('2000-01-01 00:00:00', 3, 'UTC')", 'impossible_time', "'dtime'"],
  [`at > fromUnixTimestamp64Milli({${Date.UTC(2026, 0, 3)}:Int64}, 'UTC')`, 'future_time', "'dtime'"],
  ['found.1 = 0 OR NOT has({[3,7]:Array(UInt32)}, found.2)', 'unknown_agent', "'agent_id'"],
]
const anyFlaw = `or(${flaws.map(([when]) => when).join(', ')})`
const reason = `multiIf(${flaws.map(([when, why]) => `${when}, '${why}'`).join(', ')}, '')`
const column = `multiIf(${flaws.map(([when, , name]) => `${when}, ${name}`).join(', ')}, '')`

const form = String.raw`'^\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?(Z|[+-](0\\d|1[0-4]):[0-5]\\d)?$'`
const wallClock = "replaceOne(substring(c_dtime, 1, 19), 'T', ' ')"
const read = `SELECT *, toInt64OrNull(c_rtt) AS v_rtt, toInt64OrNull(c_speed) AS v_speed, toUInt16OrNull(c_sequence) AS v_sequence, toUInt8OrNull(c_ip_version) AS v_ip_version, toUInt32OrNull(c_successes) AS v_successes, match(c_dtime, ${form})
  AND ifNull(toString(toDateTime64OrNull(${wallClock}, 0, 'UTC')) = ${wallClock}, 0) AS is_time,
  ifNull(parseDateTime64BestEffortOrNull(c_dtime, 3, 'UTC'), toDateTime64(0, 3, 'UTC')) AS at,
  dictGet('bg.agents_by_key', ('id', 'panel_id'),
    tuple(lower(replaceRegexpAll(c_agent_id, '[^\\\\p{L}\\\\p{M}\\\\p{N}]', '')))) AS found
FROM (SELECT rows)`

it('stores rows without a fault, and of each result the first', () => {
  expect(shown(acceptedRows(validation, source))).toBe(
    `SELECT *, found.1 AS agent, found.2 AS panel FROM (${read}) WHERE NOT ${anyFlaw}
LIMIT 1 BY found.1, at, c_target, v_ip_version`,
  )
})

it('reports the first fault of a row, and its column', () => {
  expect(shown(flawedRows(validation, source))).toBe(
    `SELECT *, ${reason} AS reason, ${column} AS column
FROM (${read}) WHERE ${anyFlaw}`,
  )
})

it('checks all rows if some are to be checked again', () => {
  expect(shown(validatedRows(validation, source))).toBe(
    `SELECT *, found.1 AS agent, found.2 AS panel, ${reason} AS reason, ${column} AS column
FROM (${read})`,
  )
})

it.each(catalog.tests.map((test) => [test.key, test] as const))(
  'rejects rows of %s whose agent is not on a panel of the sender',
  (_key, test) => {
    const text = shown(acceptedRows({ ...validation, test }, source))
    expect(text).toContain(', found.1 = 0 OR NOT has({[3,7]:Array(UInt32)}, found.2))\nLIMIT 1 BY found.1, at')
  },
)

it('compares ids by letters, marks and digits of every script', () => {
  expect(shown(keyOf(sql`x`))).toBe(String.raw`lower(replaceRegexpAll(x, '[^\\p{L}\\p{M}\\p{N}]', ''))`)
})

describe('a value is stored', () => {
  const of = (name: string) => {
    const found = small.columns.find((one) => one.name === name)
    if (found === undefined) throw new Error(name)
    return found
  }

  it.each([
    ['target', 'c_target'],
    ['address', "nullIf(c_address, '')"],
    ['rtt', 'v_rtt'],
    ['ip_version', 'v_ip_version'],
    ['successes', 'assumeNotNull(v_successes)'],
  ])('%s as %s', (name, expected) => {
    expect(shown(stored(of(name)))).toBe(expected)
  })

  it.each([
    ['uint8', 'toUInt8OrNull(c_n)'],
    ['uint16', 'toUInt16OrNull(c_n)'],
    ['uint32', 'toUInt32OrNull(c_n)'],
    ['int64', 'toInt64OrNull(c_n)'],
  ] as const)('%s by a parser that refuses what does not fit: %s', (type, expected) => {
    expect(shown(parsed({ name: 'n', type, unit: null, description: '', required: false }))).toBe(expected)
  })

  it('once for each agent, time and identity', () => {
    expect(identityOf(small).map(shown)).toEqual(['found.1', 'at', 'c_target', 'v_ip_version'])
  })
})
