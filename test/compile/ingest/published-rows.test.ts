import { expect, it } from 'vitest'
import { findUnits, keptLines, publishedHeader, stagePublished } from '../../../src/compile/ingest/published-rows.ts'
import { csvRows } from '../../../src/compile/ingest/row-source.ts'
import { testOf } from '../plans.ts'
import { shown } from '../shown.ts'
import { small } from './small-test.ts'

const rows = { test: small, database: 'bg', run: 'r1' }
const staged = 'bg.staged_results WHERE attempt = {"r1":String}'
const unlessFailed = (name: string): string =>
  `if(c_successes = '0' AND match(c_${name}, '^0([.]0*)?$'), '', c_${name})`

const names = ['agent_id', 'dtime', 'target', 'rtt', 'speed', 'sequence', 'successes']
const valuesOf = (...asked: [names: string[], version: number]): string[] =>
  (
    /formatRowNoNewline\('CSV', ([^]*?)\), if\(malformed/.exec(shown(stagePublished(rows, ...asked).insert))?.[1] ?? ''
  ).split(/, (?=c_|if\(c_|')/)

it('stages a file’s rows as lines, with unit, time, target and sequence as key', () => {
  const { insert, settings } = stagePublished(rows, names, 6)
  const source = csvRows(small, names)
  expect(shown(insert)).toBe(`INSERT INTO bg.staged_results (attempt, row, raw, cells)
SELECT {"r1":String}, row,
  concat(formatRowNoNewline('CSV', c_agent_id, c_dtime, c_target, c_address, ${unlessFailed('rtt')}, ${unlessFailed('speed')}, c_sequence, '6', c_successes), if(malformed, ',"wrong number of cells"', '')),
  if(malformed, [], [c_agent_id, c_dtime, c_target, c_sequence])
FROM (${shown(source.select)}) WHERE NOT match(lower(c_agent_id), '^#? *unit_id$') FORMAT CSV`)
  expect(settings).toEqual(source.settings)
})

it('uses only unit and time as key if rows have no sequence', () => {
  const { insert } = stagePublished({ ...rows, test: testOf('dns') }, ['agent_id', 'dtime', 'successes'], 4)
  expect(shown(insert)).toContain('if(malformed, [], [c_agent_id, c_dtime])')
})

it('reads the IP version from the file if the file has one', () => {
  expect(valuesOf(names, 4).at(-2)).toBe("'4'")
  expect(valuesOf([...names, 'ip_version'], 4).at(-2)).toBe('c_ip_version')
})

it('keeps a zero of a file that does not say which tests failed', () => {
  expect(valuesOf(names, 4).filter((value) => value.startsWith('if('))).toHaveLength(2)
  const without = names.filter((name) => name !== 'successes')
  expect(valuesOf(without, 4).filter((value) => value.startsWith('if('))).toEqual([])
})

it('writes the columns of the test in the order of its lines', () => {
  expect(publishedHeader(small)).toBe('agent_id,dtime,target,address,rtt,speed,sequence,ip_version,successes')
})

it('finds units that can be registered', () => {
  expect(shown(findUnits(rows)))
    .toBe(`SELECT DISTINCT cells[1] AS unit FROM ${staged} AND match(cells[1], '^[0-9]{1,16}$')
  AND toUInt64OrZero(cells[1]) <= {9007199254740991:UInt64} ORDER BY unit`)
})

it('keeps of a speed test the row with the highest sequence, and every row without one', () => {
  const key = 'sipHash128(cells[1], cells[2], cells[3])'
  const sequence = 'toUInt32OrZero(cells[4])'
  expect(shown(keptLines(rows))).toBe(`SELECT raw FROM ${staged}
  AND (isNull(toUInt32OrNull(cells[4])) OR (${key}, ${sequence}) IN (SELECT ${key}, max(${sequence}) FROM ${staged} AND notEmpty(cells) GROUP BY 1)) ORDER BY row FORMAT TSVRaw`)
})

it('keeps every row of other tests', () => {
  expect(shown(keptLines({ ...rows, test: testOf('dns') }))).toBe(
    `SELECT raw FROM ${staged} ORDER BY row FORMAT TSVRaw`,
  )
})
