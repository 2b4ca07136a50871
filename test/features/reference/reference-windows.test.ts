import { expect, it } from 'vitest'
import { clockValue, hourAt, isInside, weekdayAt } from './model/clock.ts'
import type { MetricRequest, Point } from './model/request.ts'
import { agentOf, ask, smallDataset, type SmallResult } from './small-dataset.ts'

const london = agentOf('london', {}, { zone: 'Europe/London' })
const speeds = (...rows: [at: string, mbps: number][]): SmallResult[] =>
  rows.map(([at, mbps]) => ({ agent: london, at, bytes_sec: mbps * 125_000 }))

const points = (results: SmallResult[], request: Partial<MetricRequest>): Point[] =>
  ask(smallDataset('httpget', results), { metric: 'httpget', ...request }).flatMap(({ metricData }) => metricData)

it('reads hour and day of the week from a calendar', () => {
  for (const [text, weekday, hour] of [
    ['2020-06-01T00:00:00Z', 1, 0],
    ['2020-06-07T23:59:59.999Z', 7, 23],
    ['1970-01-01T12:00:00Z', 4, 12],
  ] as const)
    expect([weekdayAt(Date.parse(text)), hourAt(Date.parse(text))]).toEqual([weekday, hour])
  const monday = Date.parse('2020-06-01T19:00:00Z')
  expect(isInside({ weekdays: [1] }, monday)).toBe(true)
  expect(isInside({ weekdays: [1], hours: [18, 20] }, monday)).toBe(false)
  expect(clockValue('peak', monday, { hours: [19] })).toBe('peak')
  expect(clockValue('peak', monday, { hours: [18] })).toBe('off_peak')
})

it('keeps the results of a window by local time', () => {
  // In British Summer Time, local time is one hour ahead of UTC.
  const rows = speeds(
    ['2020-06-01 17:59:59.999', 1],
    ['2020-06-01 18:00:00', 10],
    ['2020-06-05 21:59:59', 20],
    ['2020-06-06 19:00:00', 2],
  )
  const window = { weekdays: [1, 2, 3, 4, 5], hours: [19, 20, 21, 22] }
  expect(points(rows, { window })).toMatchObject([{ metricValue: 15, sampleCount: 2 }])
  expect(points(rows, { splits: ['peak'] })).toMatchObject([
    { peak: 'off_peak', metricValue: 1.5 },
    { peak: 'peak', metricValue: 15 },
  ])
  expect(points(rows, { splits: ['peak'], window: { weekdays: [6] } })).toMatchObject([
    { peak: 'off_peak', sampleCount: 3 },
    { peak: 'peak', metricValue: 2, sampleCount: 1 },
  ])
  expect(
    points(rows, { splits: ['day_of_week', 'hour_of_day'] }).map((one) => [one['day_of_week'], one['hour_of_day']]),
  ).toEqual([
    [1, 18],
    [1, 19],
    [5, 22],
    [6, 20],
  ])
})

it('weights blocks by their hours of the window, as computed by hand', () => {
  const rows = speeds(
    ['2020-06-01 18:10:00', 100], // 19:10, one hour of the block 18–20
    ['2020-06-01 19:10:00', 40], // two hours of the block 20–22
    ['2020-06-01 21:10:00', 20], // one hour of the block 22–24
    ['2020-06-02 12:00:00', 50], // six hours of the block 12–18
  )
  const request = { normalised: true, aggregation: 'weekly' as const }
  const window = { hours: [19, 20, 21, 22] }
  expect(points(rows, { ...request, window })[0]?.['metricValue']).toBeCloseTo((100 + 2 * 40 + 20) / 4, 12)
  expect(points(rows, { ...request, splits: ['peak'], window }).map((one) => one['metricValue'])).toEqual([
    expect.closeTo(50, 12),
    expect.closeTo(50, 12),
  ])
  expect(points(rows, request)[0]?.['metricValue']).toBeCloseTo((2 * 100 + 2 * 40 + 2 * 20 + 6 * 50) / 12, 12)
})

it('weights off-peak blocks by the hours of a week if a point has several days', () => {
  const rows = speeds(
    ['2020-06-01 02:00:00', 100], // Monday 03:00: 42 hours of the block 0–6
    ['2020-06-06 19:30:00', 10], // Saturday 20:30: four hours of the block 20–22
  )
  const request = { normalised: true, splits: ['peak'] }
  expect(points(rows, { ...request, aggregation: 'weekly' })[0]?.['metricValue']).toBeCloseTo((4200 + 40) / 46, 12)
  expect(points(rows, { ...request, aggregation: 'daily' }).map((one) => one['metricValue'])).toEqual([100, 10])
})
