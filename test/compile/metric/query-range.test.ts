import { expect, it } from 'vitest'
import { findLatestSince, notErased, pinned } from '../../../src/compile/metric/samples.ts'
import { dayRange, localRange } from '../../../src/compile/metric/metric-plan.ts'
import { shown } from '../shown.ts'

it('describes the range of a metric request, in the agents’ local time', () => {
  expect(localRange({ from: 0, to: 1_767_225_599 })).toEqual({
    clock: 'agent-local',
    from: '1970-01-01T00:00:00',
    to: '2025-12-31T23:59:59',
  })
})

it('describes the range of a request for records: whole UTC days', () => {
  const [first, last] = [Temporal.PlainDate.from('2026-01-02'), Temporal.PlainDate.from('2026-02-28')]
  expect(dayRange({ first, last })).toEqual({ clock: 'utc', from: '2026-01-02T00:00:00', to: '2026-02-28T23:59:59' })
})

it('limits what is read to what was stored before a time', () => {
  expect(pinned(Temporal.Instant.from('2026-01-02T03:04:05Z')).map(shown)).toEqual([
    `ingested_at < {"2026-01-02 03:04:05.000":DateTime64(3, 'UTC')}`,
  ])
  expect(pinned(undefined)).toEqual([])
})

it('finds when the last result of some panels was stored', () => {
  expect(shown(findLatestSince('bg', 'dns', [3, 7], Temporal.Instant.from('2026-01-02T03:04:05.678Z')))).toBe(
    `SELECT toUnixTimestamp64Milli(max(ingested_at)) FROM bg.dns
WHERE panel IN {[3,7]:Array(UInt32)} AND ingested_at >= {"2026-01-02 03:04:05.678":DateTime64(3, 'UTC')}`,
  )
})

it('excludes agents that are being erased, and has no condition without any', () => {
  expect(notErased([5]).map(shown)).toEqual(['agent NOT IN {[5]:Array(UInt32)}'])
  expect(notErased([])).toEqual([])
})
