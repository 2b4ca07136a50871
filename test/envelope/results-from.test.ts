import { expect, it } from 'vitest'
import { resultsFromHeader } from '../../src/envelope/results-from.ts'

const now = Temporal.Instant.from('2026-03-31T12:00:00Z')

const header = (keepDays: number | undefined, from: string, at = now) =>
  resultsFromHeader(keepDays === undefined ? {} : { keepDays }, { clock: 'utc', from, to: '2026-03-31T23:59:59' }, at)

it('is absent without retention', () => {
  expect(header(undefined, '1970-01-01T00:00:00')).toEqual({})
})

it.each([
  ['2026-03-03T00:00:00', {}],
  ['2026-03-02T23:59:59', { 'x-results-from': '2026-03-03' }],
  ['1999-12-31T00:00:00', { 'x-results-from': '2026-03-03' }],
])('names the first complete day to a caller who asks from %s', (from, expected) => {
  expect(header(30, from)).toEqual(expected)
})

it('counts from the UTC day of now', () => {
  const asked = '2026-03-01T00:00:00'
  expect(header(30, asked, Temporal.Instant.from('2026-03-31T23:59:59.999Z'))).toEqual({
    'x-results-from': '2026-03-03',
  })
  expect(header(30, asked, Temporal.Instant.from('2026-04-01T00:00:00Z'))).toEqual({ 'x-results-from': '2026-03-04' })
})

it('names no day before 1970', () => {
  const early = Temporal.Instant.from('1970-01-10T00:00:00Z')
  expect(header(365, '1970-01-01T00:00:00', early)).toEqual({})
  expect(header(365, '1969-12-31T00:00:00', early)).toEqual({ 'x-results-from': '1970-01-01' })
})
