import { expect, it } from 'vitest'
import { findResultDays } from '../../../src/compile/values/result-days.ts'

it('reads one row at each end of each panel, in the order of the sort key', () => {
  const { text, params } = findResultDays('bg', { test: 'ping', panels: [3, 7], erased: [] })
  expect(params).toEqual({ p1: 3, p2: 3, p3: 7, p4: 7 })
  expect(text.split('\nUNION ALL ')[1]).toBe(`SELECT * FROM (
SELECT panel, toUInt16(toDate(dtime)) AS day FROM bg.ping
WHERE panel = {p2:UInt32}
ORDER BY panel DESC, toDate(dtime) DESC LIMIT 1)`)
  expect(text.match(/ORDER BY panel ASC, toDate\(dtime\) ASC LIMIT 1\)/g)).toHaveLength(2)
})

it('excludes the results of erased agents, and days that are no longer kept', () => {
  const { text, params } = findResultDays('bg', { test: 'ping', panels: [3], erased: [9], keepDays: 30 })
  expect(params).toEqual({ p1: 3, p2: [9], p3: 3, p4: [9] })
  expect(text).toContain(`WHERE panel = {p1:UInt32}
  AND agent NOT IN {p2:Array(UInt32)}
  AND toDate(dtime) >= toDate(now('UTC')) - 28
ORDER BY`)
})
