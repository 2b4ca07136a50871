import { expect, it } from 'vitest'
import { sql } from '../../../src/base/sql.ts'
import { aggregations, type Aggregation } from '../../../src/catalog/aggregations.ts'
import {
  bucketLabel,
  bucketOf,
  bucketOfDay,
  isPartial,
  localTime,
  unknownZone,
} from '../../../src/compile/metric/local-time.ts'
import { zoneOffsets, type ZoneOffsets } from '../../../src/compile/metric/clock/zone-offsets.ts'
import { aggregationOf, secondOf } from '../plans.ts'
import { shown } from '../shown.ts'

const berlin = { id: 1, name: 'Europe/Berlin' }
const during = (from: string, to: string, zones = [berlin]): ZoneOffsets =>
  zoneOffsets(zones, secondOf(`${from}T00:00:00Z`), secondOf(`${to}T00:00:00Z`))

const localSecond = (offsets: ZoneOffsets): string[] =>
  localTime(offsets).map(({ name, value }) => `${shown(value)} AS ${name}`)

it('adds the offset of the zone to UTC if the clock does not change', () => {
  expect(localSecond(during('2026-01-01', '2026-01-02'))).toEqual([
    'toUnixTimestamp(dtime) AS utc_second',
    'arrayMap(z -> utc_second + {[0,3600]:Array(Int32)}[z + 1], [zone])[1] AS local_second',
  ])
})

it('adds a correction from the second of each change on', () => {
  const change = secondOf('2026-03-29T01:00:00Z')
  expect(localSecond(during('2026-03-01', '2026-04-01'))).toEqual([
    'toUnixTimestamp(dtime) AS utc_second',
    'arrayMap(z -> utc_second + {[0,3600]:Array(Int32)}[z + 1]' +
      ` + if(utc_second >= {[4294967295,${change}]:Array(UInt32)}[{[1,2]:Array(UInt16)}[z + 1]],` +
      ' {[0,3600]:Array(Int32)}[{[1,2]:Array(UInt16)}[z + 1]], 0), [zone])[1] AS local_second',
  ])
})

it('has a term for each of two changes', () => {
  const [, value] = localSecond(during('2026-03-01', '2026-11-01'))
  expect(value?.match(/ \+ if\(utc_second >= /g)).toHaveLength(2)
})

it('uses lists from the third change on', () => {
  const changes = ['2026-03-29T01:00:00Z', '2026-10-25T01:00:00Z', '2027-03-28T01:00:00Z'].map(secondOf)
  const [, value] = localSecond(during('2026-03-01', '2027-04-01'))
  expect(value).toBe(
    'arrayMap(z -> utc_second + {[0,3600]:Array(Int32)}[z + 1] + arraySum((f, b) -> if(utc_second >= f, b, 0), ' +
      `{[[4294967295,4294967295,4294967295],[${changes.join()}]]:Array(Array(UInt32))}[{[1,2]:Array(UInt16)}[z + 1]], ` +
      '{[[0,0,0],[3600,-3600,3600]]:Array(Array(Int32))}[{[1,2]:Array(UInt16)}[z + 1]]), [zone])[1] AS local_second',
  )
})

it('stops a query over a row in an unknown zone', () => {
  const offsets = during('2026-01-01', '2026-01-02', [berlin, { id: 4, name: 'Europe/Atlantis' }])
  expect(localSecond(offsets)[1]).toBe(
    "arrayMap(z -> utc_second + {[0,3600]:Array(Int32)}[z + 1] + throwIf(z IN {[4]:Array(UInt16)}, 'this version of the service does not know the time zone of an agent'), [zone])[1] AS local_second",
  )
  expect(unknownZone).toBe('this version of the service does not know the time zone of an agent')
})

const day = 'toDate(toUInt16(intDiv(local_second, 86400)))'
const buckets: [Aggregation['key'], string][] = [
  ['hourly', "toDateTime(intDiv(local_second, 3600) * 3600, 'UTC')"],
  ['two_hourly', "toDateTime(intDiv(local_second, 7200) * 7200, 'UTC')"],
  ['four_hourly', "toDateTime(intDiv(local_second, 14400) * 14400, 'UTC')"],
  ['six_hourly', "toDateTime(intDiv(local_second, 21600) * 21600, 'UTC')"],
  ['daily', day],
  ['weekly', `toMonday(${day})`],
  ['monthly', `toStartOfMonth(${day})`],
  ['quarterly', `toStartOfQuarter(${day})`],
  ['hour_of_day', 'toUInt8(intDiv(local_second % 86400, 3600))'],
  ['day_of_week', `toDayOfWeek(${day})`],
  ['day_of_month', `toDayOfMonth(${day})`],
  ['total', 'toUInt8(0)'],
]

it('has a bucket for every aggregation', () => {
  expect(buckets.map(([key]) => key)).toEqual(aggregations.map(({ key }) => key))
})

it.each(buckets)('puts a row into its bucket by local time: %s', (key, expected) => {
  expect(shown(bucketOf(aggregationOf(key)))).toBe(expected)
})

it.each(buckets)('puts a day into the same bucket as its rows, if a bucket has whole days: %s', (key, expected) => {
  const bucket = bucketOfDay(aggregationOf(key), sql`day`)
  const isOfHours = /hour/.test(key)
  expect(bucket === null ? null : shown(bucket)).toBe(isOfHours ? null : expected.replace(day, 'day'))
})

const time = { name: 'dtime', text: "formatDateTime(bucket, '%Y-%m-%dT%H:%i:%S')" }
const date = { name: 'dtime', text: 'toString(bucket)' }
const number = { name: 'aggregatedNumber', text: 'bucket' }

it.each<[Aggregation['key'], { name: string; text: string } | null]>([
  ['hourly', time],
  ['two_hourly', time],
  ['four_hourly', time],
  ['six_hourly', time],
  ['daily', date],
  ['weekly', date],
  ['monthly', date],
  ['quarterly', date],
  ['hour_of_day', number],
  ['day_of_week', number],
  ['day_of_month', number],
  ['total', null],
])('labels a point of %s as specified', (key, expected) => {
  const label = bucketLabel(aggregationOf(key))
  expect(label === null ? null : { name: label.name, text: shown(label.value) }).toEqual(expected)
})

it('compares the start of a period with the range of the whole periods, in seconds', () => {
  const whole = { from: 86_400, to: 172_799 }
  const condition = 'NOT BETWEEN {86400:Int64} AND {172799:Int64})'
  for (const key of ['hourly', 'six_hourly'] as const)
    expect(shown(isPartial(aggregationOf(key), whole))).toBe(`toBool(toInt64(toUnixTimestamp(bucket)) ${condition}`)
  for (const key of ['daily', 'quarterly'] as const)
    expect(shown(isPartial(aggregationOf(key), whole))).toBe(`toBool(toInt64(toUInt16(bucket) * 86400) ${condition}`)
})
