import { expect, it } from 'vitest'
import { newSeed } from '../../faults/dice.ts'
import { calendarDataset, calendarZones } from './calendar-instants.ts'
import { bucketOf } from './model/buckets.ts'
import { locatedResults } from './model/local-time.ts'
import { aggregations, type Aggregation } from './model/request.ts'
import { rightRules } from './model/rules.ts'

const seed = newSeed()
const built = calendarDataset(seed, 10_000)
const zones = Object.keys(calendarZones)

const floor = (local: Temporal.PlainDateTime, width: number): string =>
  local
    .round({ smallestUnit: 'hour', roundingMode: 'floor' })
    .subtract({ hours: local.hour % width })
    .toString()

/** The expected label of a local time, computed only with Temporal. */
const labels: Record<Aggregation, (local: Temporal.PlainDateTime) => string | number> = {
  hourly: (local) => floor(local, 1),
  two_hourly: (local) => floor(local, 2),
  four_hourly: (local) => floor(local, 4),
  six_hourly: (local) => floor(local, 6),
  daily: (local) => local.toPlainDate().toString(),
  weekly: (local) => mondayOf(local.yearOfWeek ?? 0, local.weekOfYear ?? 0),
  monthly: (local) => local.toPlainDate().toPlainYearMonth().toPlainDate({ day: 1 }).toString(),
  quarterly: (local) =>
    new Temporal.PlainDate(local.year, [1, 4, 7, 10][Math.ceil(local.month / 3) - 1] ?? 0, 1).toString(),
  hour_of_day: (local) => local.hour,
  day_of_week: (local) => local.dayOfWeek,
  day_of_month: (local) => local.day,
  total: () => 'total',
}

/** The Monday of a week. Week 1 is the week that contains 4 January. */
function mondayOf(year: number, week: number): string {
  const fourth = new Temporal.PlainDate(year, 1, 4)
  return fourth
    .subtract({ days: fourth.dayOfWeek - 1 })
    .add({ weeks: week - 1 })
    .toString()
}

it.each(zones)('the reference labels 10,000 instants in %s as Temporal does', { timeout: 120_000 }, (zone) => {
  let mismatches = 0
  for (const { result, localMs } of locatedResults(built, 'ping').filter(({ span }) => span.zone === zone)) {
    const local = Temporal.Instant.fromEpochMilliseconds(result.endedAt).toZonedDateTimeISO(zone).toPlainDateTime()
    for (const aggregation of aggregations) {
      const { dtime, aggregatedNumber } = bucketOf(localMs, aggregation, rightRules).label
      if ((dtime ?? aggregatedNumber ?? 'total') !== labels[aggregation](local)) mismatches += 1
    }
  }
  expect(mismatches, `seed ${seed}`).toBe(0)
})

it('covers all difficult calendar cases', () => {
  const found = (zone: string, aggregation: Aggregation): Set<unknown> =>
    new Set(
      locatedResults(built, 'ping')
        .filter(({ span }) => span.zone === zone)
        .map(({ localMs }) => Object.values(bucketOf(localMs, aggregation, rightRules).label)[0]),
    )
  for (const zone of ['Europe/London', 'UTC', 'Pacific/Kiritimati']) {
    expect([...found(zone, 'daily')]).toEqual(expect.arrayContaining(['2020-02-29', '2020-12-31', '2021-01-01']))
    // The Mondays of week 53 of 2020 and of week 1 of 2021.
    expect([...found(zone, 'weekly')]).toEqual(expect.arrayContaining(['2020-12-28', '2021-01-04']))
  }
  expect(found('Pacific/Apia', 'daily')).toContain('2011-12-31')
  expect(found('Pacific/Apia', 'daily')).not.toContain('2011-12-30')
  expect(found('America/Sao_Paulo', 'hourly')).toContain('2017-10-15T01:00:00')
  expect(found('America/Sao_Paulo', 'hourly')).not.toContain('2017-10-15T00:00:00')
  expect(found('Europe/London', 'hourly')).not.toContain('2020-03-29T01:00:00')
})
