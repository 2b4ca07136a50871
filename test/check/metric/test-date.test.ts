import { expect, it } from 'vitest'
import { parseTestDate } from '../../../src/check/metric/test-date.ts'
import { newSeed, rollDice, type Dice } from '../../faults/dice.ts'
import { independentTestDate } from './independent-test-date.ts'

const at = (text: string) => Temporal.Instant.from(text)
// 2026-03-10 is a Tuesday.
const now = at('2026-03-10T15:30:00Z')

const parsed = (text: string, instant = now): string | null => {
  const days = parseTestDate(text, instant)
  return days === null ? null : `${days.first.toString()} ${days.last.toString()}`
}

it.each([
  ['2026-02-28', '2026-02-28 2026-02-28'],
  ['20260228', '2026-02-28 2026-02-28'],
  ['2026-02', '2026-02-01 2026-02-28'],
  ['2024-02', '2024-02-01 2024-02-29'],
  ['2024-02-29', '2024-02-29 2024-02-29'],
  ['2026', '2026-01-01 2026-12-31'],
  ['0001', '0001-01-01 0001-12-31'],
  ['9999', '9999-01-01 9999-12-31'],
  ['now', '2026-03-10 2026-03-10'],
  ['NOW', '2026-03-10 2026-03-10'],
  ['+1 days', '2026-03-11 2026-03-11'],
  ['+1 day', '2026-03-11 2026-03-11'],
  ['-1 Day', '2026-03-09 2026-03-09'],
  ['-3 DAYS', '2026-03-07 2026-03-07'],
  ['-10 days', '2026-02-28 2026-02-28'],
  ['+0 days', '2026-03-10 2026-03-10'],
  ['-0 Days', '2026-03-10 2026-03-10'],
  ['last monday', '2026-03-09 2026-03-09'],
  ['last tuesday', '2026-03-03 2026-03-03'],
  ['next tuesday', '2026-03-17 2026-03-17'],
  ['this tuesday', '2026-03-10 2026-03-10'],
  ['this monday', '2026-03-16 2026-03-16'],
  ['Next MONDAY', '2026-03-16 2026-03-16'],
])('interprets %s as %s', (text, period) => {
  expect(parsed(text)).toBe(period)
})

it.each([
  ['29 February of a common year', '2026-02-29'],
  ['29 February of a century', '19000229'],
  ['month 13', '2026-13'],
  ['month 0', '2026-00-01'],
  ['day 0', '2026-01-00'],
  ['31 April', '2026-04-31'],
  ['year 0000', '0000'],
  ['a day of year 0000', '0000-01-01'],
  ['24:00', '2026-01-01 24:00'],
  ['a time of day', '2026-01-01T00:00:00'],
  ['a form that is not listed', '2026/01/01'],
  ['a day without zeros', '2026-1-1'],
  ['six digits', '202601'],
  ['five digits', '12026'],
  ['a sign before a date', '+2026-01-01'],
  ['days without a sign', '1 days'],
  ['days without a number', '+ days'],
  ['half days', '+1.5 days'],
  ['two spaces', '+1  days'],
  ['a date ten thousand years away', '+9999999 days'],
  ['a short name', 'last mon'],
  ['a name alone', 'monday'],
  ['another word', 'previous monday'],
  ['words of the language, not of the grammar', 'today'],
  ['nothing', ''],
  ['space around it', ' now'],
  ['a line break after it', 'now\n'],
  ['digits of another script', '२०२६'],
  ['letters that fold to others', 'la\u017Ft monday'],
])('refuses %s', (_what, text) => {
  expect(parsed(text)).toBeNull()
})

it('counts the day in UTC, whatever the hour', () => {
  expect(parsed('now', at('2026-03-10T00:00:00Z'))).toBe('2026-03-10 2026-03-10')
  expect(parsed('now', at('2026-03-10T23:59:59.999Z'))).toBe('2026-03-10 2026-03-10')
  expect(parsed('-1 days', at('2026-01-01T00:00:00Z'))).toBe('2025-12-31 2025-12-31')
})

it('agrees with an independent parser on 50,000 generated texts', () => {
  const seed = newSeed()
  const dice = rollDice(seed)
  const disagreements: string[] = []
  let dates = 0
  for (let trial = 0; trial < 50_000; trial += 1) {
    const seconds = dice.between(-2_000_000_000, 7_000_000_000)
    const text = dice.between(1, 3) === 1 ? damaged(dice, written(dice)) : written(dice)
    const ours = parseTestDate(text, Temporal.Instant.fromEpochMilliseconds(seconds * 1000 + dice.between(0, 999)))
    const theirs = independentTestDate(text, seconds)
    const days = (date: Temporal.PlainDate) => date.since('1970-01-01').days
    const oursInDays = ours === null ? null : [days(ours.first), days(ours.last)]
    if (theirs !== null) dates += 1
    if (JSON.stringify(oursInDays) !== JSON.stringify(theirs)) {
      disagreements.push(`${JSON.stringify(text)} at ${seconds}: ${oursInDays} and ${theirs}`)
    }
  }
  expect(disagreements.slice(0, 5), `seed ${seed}`).toEqual([])
  // Valid and invalid texts must both occur often, or the comparison proves nothing.
  expect(dates).toBeGreaterThan(15_000)
  expect(dates).toBeLessThan(45_000)
})

const names = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday', 'mon', 'day']
const pad = (number: number, length: number) => String(number).padStart(length, '0')

/** A text in one of the formats of test dates, with numbers inside and outside the valid range. */
function written(dice: Dice): string {
  const year = pad(dice.pick([dice.between(0, 9999), dice.between(1896, 2104), 0, 2000, 1900]), 4)
  const month = pad(dice.between(0, 13), 2)
  const day = pad(dice.between(0, 32), 2)
  const anyCase = (text: string) =>
    [...text].map((letter) => (dice.between(0, 3) === 0 ? letter.toUpperCase() : letter)).join('')
  return dice.pick([
    () => `${year}-${month}-${day}`,
    () => `${year}${month}${day}`,
    () => `${year}-${month}`,
    () => year,
    () => anyCase(`${dice.pick(['+', '-'])}${dice.between(0, 10 ** dice.between(0, 7))} ${dice.pick(['days', 'day'])}`),
    () => anyCase(`${dice.pick(['last', 'next', 'this'])} ${dice.pick(names)}`),
    () => anyCase('now'),
  ])()
}

const alphabet = [...'0123456789-+ adlnostwyADNWS.:/T\n\u0660']

/** Returns the text with one character changed, removed or inserted. */
function damaged(dice: Dice, text: string): string {
  const place = dice.between(0, text.length)
  const letter = dice.pick(alphabet)
  return dice.pick([
    text.slice(0, place) + letter + text.slice(place),
    text.slice(0, place) + text.slice(place + 1),
    text.slice(0, place) + letter + text.slice(place + 1),
  ])
}
