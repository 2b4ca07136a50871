import { describe, expect, it } from 'vitest'
import {
  offsetAt as offsetOf,
  zoneOffsets,
  type Zone,
  type ZoneOffsets,
} from '../../../../src/compile/metric/clock/zone-offsets.ts'
import { secondOf } from '../../plans.ts'

const never = 4_294_967_295

/** The offset that a query computes from these tables for a row at `second` in `zone`. */
function offsetAt({ atStart, rule, transitions }: ZoneOffsets, zone: number, second: number): number {
  const corrections = transitions.map(({ from, by }) => {
    const index = (rule[zone] ?? 0) - 1
    return second >= (from[index] ?? never) ? (by[index] ?? 0) : 0
  })
  return corrections.reduce((sum, one) => sum + one, atStart[zone] ?? 0)
}

const names = [
  'UTC',
  'Europe/London',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Africa/Casablanca',
  'America/Sao_Paulo',
]
const zones: Zone[] = names.map((name, index) => ({ id: index + 1, name }))

describe.each([
  ['a week', '2026-03-25T00:00:00Z', '2026-04-01T00:00:00Z'],
  ['a year', '2025-07-01T00:00:00Z', '2026-07-01T00:00:00Z'],
  ['the year Samoa left out a day', '2011-06-01T00:00:00Z', '2012-06-01T00:00:00Z'],
  ['thirty years', '1996-01-01T00:00:00Z', '2026-01-01T00:00:00Z'],
])('over %s', (_name, first, last) => {
  const [from, to] = [secondOf(first), secondOf(last)]
  const offsets = zoneOffsets(zones, from, to)

  it.each(zones)('$name has the offset that Temporal gives, on both sides of every change', ({ id, name }) => {
    const steps = Array.from({ length: 100 }, (_, index) => Math.floor(from + ((to - from) * index) / 99))
    const changes = offsets.transitions.flatMap((one) => one.from).filter((at) => at <= to)
    for (const second of [...steps, ...changes, ...changes.map((at) => at - 1)]) {
      if (second < from) continue
      const expected = Temporal.Instant.fromEpochMilliseconds(second * 1000).toZonedDateTimeISO(name)
      expect(offsetAt(offsets, id, second), `${name} at ${expected.toString()}`).toBe(expected.offsetNanoseconds / 1e9)
    }
  })

  it('has no offset outside minimum and maximum', () => {
    const all = [...offsets.atStart]
    for (const { id } of zones) {
      for (const { from: starts } of offsets.transitions)
        for (const at of starts) if (at <= to) all.push(offsetAt(offsets, id, at))
    }
    expect(Math.min(...all)).toBe(offsets.least)
    expect(Math.max(...all)).toBe(offsets.greatest)
  })
})

const summer = [secondOf('2026-03-01T00:00:00Z'), secondOf('2026-04-30T00:00:00Z')] as const
const change = secondOf('2026-03-29T01:00:00Z')

it('is a table without changes if no clock changes', () => {
  const winter = [secondOf('2026-01-01T00:00:00Z'), secondOf('2026-01-02T00:00:00Z')] as const
  expect(zoneOffsets([{ id: 1, name: 'Europe/Berlin' }], ...winter)).toEqual({
    atStart: [0, 3600],
    rule: [1, 1],
    transitions: [],
    least: 0,
    greatest: 3600,
    unknown: [],
  })
})

it('has UTC alone if there are no zones', () => {
  expect(zoneOffsets([], ...summer)).toEqual({
    atStart: [0],
    rule: [1],
    transitions: [],
    least: 0,
    greatest: 0,
    unknown: [],
  })
})

it('gives zones that change together one rule, and the first rule to those that do not change', () => {
  const together = [
    { id: 1, name: 'Europe/Berlin' },
    { id: 2, name: 'Europe/London' },
    { id: 3, name: 'Asia/Tokyo' },
    { id: 4, name: 'America/New_York' },
  ]
  expect(zoneOffsets(together, ...summer)).toEqual({
    atStart: [0, 3600, 0, 32_400, -18_000],
    rule: [1, 2, 2, 1, 3],
    transitions: [{ from: [never, change, secondOf('2026-03-08T07:00:00Z')], by: [0, 3600, 3600] }],
    least: -18_000,
    greatest: 32_400,
    unknown: [],
  })
})

it('fills the gaps between numbers with UTC', () => {
  expect(zoneOffsets([{ id: 3, name: 'Europe/Berlin' }], ...summer)).toMatchObject({
    atStart: [0, 0, 0, 3600],
    rule: [1, 1, 1, 2],
  })
})

it('treats a change at the first second of the range as done, and one at the last as pending', () => {
  const berlin = [{ id: 1, name: 'Europe/Berlin' }]
  expect(zoneOffsets(berlin, change, change + 1)).toMatchObject({ atStart: [0, 7200], transitions: [] })
  expect(zoneOffsets(berlin, change - 1, change)).toMatchObject({
    atStart: [0, 3600],
    transitions: [{ from: [never, change], by: [0, 3600] }],
  })
  expect(zoneOffsets(berlin, change - 2, change - 1)).toMatchObject({ atStart: [0, 3600], transitions: [] })
})

it('lists several changes as first, second and so on, each with its size', () => {
  const offsets = zoneOffsets([{ id: 1, name: 'Europe/Berlin' }], summer[0], secondOf('2027-04-30T00:00:00Z'))
  expect(offsets.transitions).toEqual([
    { from: [never, change], by: [0, 3600] },
    { from: [never, secondOf('2026-10-25T01:00:00Z')], by: [0, -3600] },
    { from: [never, secondOf('2027-03-28T01:00:00Z')], by: [0, 3600] },
  ])
})

it('lists unknown zones, and has offsets for all others', () => {
  const some = [
    { id: 1, name: 'Mars/Olympus_Mons' },
    { id: 2, name: 'Asia/Tokyo' },
    { id: 5, name: 'Europe/Atlantis' },
  ]
  expect(zoneOffsets(some, ...summer)).toMatchObject({ unknown: [1, 5], atStart: [0, 0, 32_400], rule: [1, 1, 1] })
})

it("finds changes of a later range than the first request's", () => {
  const vienna = [{ id: 1, name: 'Europe/Vienna' }]
  zoneOffsets(vienna, secondOf('1990-01-01T00:00:00Z'), secondOf('1990-02-01T00:00:00Z'))
  expect(zoneOffsets(vienna, ...summer).transitions).toEqual([{ from: [never, change], by: [0, 3600] }])
  expect(zoneOffsets(vienna, secondOf('1990-03-01T00:00:00Z'), secondOf('1990-04-30T00:00:00Z')).transitions).toEqual([
    { from: [never, secondOf('1990-03-25T01:00:00Z')], by: [0, 3600] },
  ])
})

it('gives the offset of one zone at an instant, and none for an unknown zone', () => {
  const at = (name: string, instant: string) => offsetOf(name, Temporal.Instant.from(instant))
  expect(at('Europe/London', '2026-03-29T00:59:59.999Z')).toBe(0)
  expect(at('Europe/London', '2026-03-29T01:00:00Z')).toBe(3_600)
  expect(at('America/New_York', '2026-01-01T00:00:00Z')).toBe(-18_000)
  expect(at('Europe/Atlantis', '2026-01-01T00:00:00Z')).toBeNull()
})
