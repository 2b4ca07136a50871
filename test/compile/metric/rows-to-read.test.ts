import { expect, it } from 'vitest'
import { statement } from '../../../src/base/sql.ts'
import { bytesOfRow, rowsToRead } from '../../../src/compile/metric/rows-to-read.ts'
import { pointStatement } from '../../../src/compile/metric/aggregate.ts'
import { aggregationOf, planOf } from '../plans.ts'

const counted = (plan: ReturnType<typeof planOf>): string => statement(rowsToRead('facts', plan)).text
const conditionsOf = (text: string): string | undefined =>
  /FROM facts\.httpget\n(WHERE [^]*?)\n(GROUP|$)/.exec(`${text}\n`)?.[1]

it('counts rows under the conditions of the statement itself', () => {
  const plan = planOf({ prefilter: true })
  const points = statement(pointStatement('facts', plan, aggregationOf('daily'), null).query).text
  const numbered = (text: string | undefined) => text?.replaceAll(/\{p\d+:/g, '{p:')
  expect(conditionsOf(counted(plan))).toMatch(
    /^WHERE panel IN \{p\d+:Array\(UInt32\)\}\n {2}AND toDate\(dtime\) BETWEEN/,
  )
  expect(numbered(conditionsOf(counted(plan)))).toBe(numbered(conditionsOf(points)))
})

const days = { first: 20_454, last: 20_470 }
const rolled = { grain: 'isp', days, daysOfBuilds: [1], rest: [{ from: 1_767_225_600, to: 1_767_311_999 }] } as const

it('counts rows of results and of rollups', () => {
  expect(counted(planOf({ percentiles: 'none', intervals: 'results', rolled }))).toMatch(
    /FROM facts\.httpget\n[^]*UNION ALL[^]*FROM facts\.metric_rollup\n/,
  )
  expect(counted(planOf({ percentiles: 'none', intervals: 'results', rolled: { ...rolled, rest: [] } }))).not.toMatch(
    /FROM facts\.httpget/,
  )
})

it('counts the bytes of the columns that the statement names', () => {
  const plan = planOf()
  const bytes = (text: string): number => bytesOfRow(plan, { text })
  expect(bytes('SELECT count()')).toBe(16)
  expect(bytes('SELECT bytes_sec, bytes_sec')).toBe(16 + 9)
  expect(bytes('SELECT bytes_sec, target WHERE successes >= 1')).toBe(16 + 9 + 2 + 4)
  expect(bytes('SELECT own_bytes_sec')).toBe(16)
})
