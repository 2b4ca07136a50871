import { expect, it } from 'vitest'
import type { MetricRequest } from './model/request.ts'
import { agentOf, ask, smallDataset, type SmallResult } from './small-dataset.ts'

/** The labels of the points. The labels of partial points end in an asterisk. */
const labels = (results: SmallResult[], request: Partial<MetricRequest>): string[] =>
  ask(smallDataset('jitter', results), request).flatMap(({ metricData }) =>
    metricData.map(({ dtime, partial }) => {
      expect([undefined, true]).toContain(partial)
      return `${typeof dtime === 'string' ? dtime : 'no period'}${partial === true ? '*' : ''}`
    }),
  )

const at = (...times: string[]): SmallResult[] => times.map((time) => ({ at: time, jitter_down: 1000 }))

const days = at('2020-01-30 12:00:00', '2020-01-31 12:00:00', '2020-02-01 12:00:00')

it('marks a day unless its first and its last second are in the range', () => {
  const daily = (from: string | number, to: string | number) =>
    labels(days, { aggregation: 'daily', time: { from, to } })
  expect(daily('2020-01-30 00:00', '2020-02-01 23:59:59')).toEqual(['2020-01-30', '2020-01-31', '2020-02-01'])
  expect(daily('2020-01-30 00:00:01', '2020-02-01 23:59:58')).toEqual(['2020-01-30*', '2020-01-31', '2020-02-01*'])
  expect(daily('2020-01-31 00:00', '2020-02-01 23:59')).toEqual(['2020-01-31', '2020-02-01*'])
  expect(daily('2020-01-31', '2020-02-01')).toEqual(['2020-01-31', '2020-02-01'])
})

it('marks every kind of period, and only periods', () => {
  const time = { from: '2020-01-02', to: '2020-03-30' }
  const of = (aggregation: MetricRequest['aggregation']) =>
    labels(at('2020-01-03 12:00:00', '2020-03-30 23:00:00'), aggregation === undefined ? {} : { aggregation, time })
  expect(of('weekly')).toEqual(['2019-12-30*', '2020-03-30*'])
  expect(of('monthly')).toEqual(['2020-01-01*', '2020-03-01*'])
  expect(of('quarterly')).toEqual(['2020-01-01*'])
  expect(of('six_hourly')).toEqual(['2020-01-03T12:00:00', '2020-03-30T18:00:00'])
  for (const aggregation of ['total', 'hour_of_day', 'day_of_week', 'day_of_month'] as const)
    expect(of(aggregation).join()).not.toContain('*')
})

it('marks periods that have not ended for the westernmost agent of the requested panels', () => {
  // The present is 07:08 in UTC and 02:08 in Chicago, where the day of the previous result is the same.
  const chicago = agentOf(
    'chicago',
    { panel: 'partner' },
    { zone: 'Asia/Tokyo' },
    { day: '2024-05-01', zone: 'America/Chicago' },
  )
  const results: SmallResult[] = [
    ...at('2024-05-06 01:10:00', '2024-05-06 02:10:00', '2024-05-06 06:10:00', '2024-05-06 07:05:00'),
    { agent: chicago, panel: 'partner', at: '2024-04-30 12:00:00', jitter_down: 1 },
  ]
  const time = { from: '2024-05-06', to: '2024-05-07' }
  const hours = (panel: string[]) => labels(results, { aggregation: 'hourly', time, panel })
  expect(hours(['homes']).map((label) => label.slice(11, 13) + label.slice(19))).toEqual(['01', '02', '06', '07*'])
  expect(hours(['homes', 'partner']).map((label) => label.slice(11, 13) + label.slice(19))).toEqual([
    '01',
    '02*',
    '06*',
    '07*',
  ])
})

it('narrows a range to its whole periods that have ended', () => {
  const whole = (aggregation: MetricRequest['aggregation'], from: string, to: string) =>
    labels(days, { ...(aggregation && { aggregation }), time: { from, to }, wholePeriods: true })
  expect(whole('daily', '2020-01-30 00:00:01', '2020-02-01 23:59:59')).toEqual(['2020-01-31', '2020-02-01'])
  expect(whole('daily', '2020-01-30', '2020-02-01 23:59')).toEqual(['2020-01-30', '2020-01-31'])
  expect(whole('monthly', '2020-01-01', '2020-02-28')).toEqual(['2020-01-01'])
  const hours = at('2024-05-06 06:10:00', '2024-05-06 07:05:00')
  expect(labels(hours, { aggregation: 'hourly', wholePeriods: true })).toEqual(['2024-05-06T06:00:00'])
})

it('takes days, times with Z and milliseconds, without fractions of a second', () => {
  const results = at('2020-06-01 12:00:00', '2020-06-01 12:00:01', '2020-06-01 23:59:59')
  const count = (from: string | number, to: string | number) =>
    ask(smallDataset('jitter', results), { time: { from, to } })[0]?.metricData[0]?.['sampleCount']
  expect(count('2020-06-01', '2020-06-01')).toBe(3)
  expect(count('2020-06-01T12:00Z', '2020-06-01T12:00:00.999Z')).toBe(1)
  expect(count('2020-06-01T12:00:01.999Z', '2020-06-01T23:59:59Z')).toBe(2)
  const noon = Date.parse('2020-06-01T12:00:00Z')
  expect([count(noon + 999, noon + 999), count(String(noon), String(noon + 1999))]).toEqual([1, 2])
})
