import { expect, it } from 'vitest'
import { choicesText } from '../../../src/serve/commands/choices-text.ts'

const periods = ['hourly', 'daily', 'weekly', 'monthly']
const many = (count: number) => Array.from({ length: count }, (_, index) => `number${index}`)

it.each([
  ['dayly', 'daily'],
  ['DAILY', 'daily'],
  ['aily', 'daily'],
  ['dailyy', 'daily'],
  // Two neighbours that are swapped are one mistake, not two.
  ['wekely', 'weekly'],
  ['mont', 'monthly'],
])('takes %s for %s', (given, meant) => {
  expect(choicesText(given, periods)).toBe(`Did you mean ${meant}? Choices: hourly, daily, weekly, monthly.`)
})

it.each(['total', '', 'x', undefined, 7, null])('guesses nothing for %j, which is like no choice', (given) => {
  expect(choicesText(given, periods)).toBe('Choices: hourly, daily, weekly, monthly.')
})

it('finds a choice that contains the text', () => {
  expect(choicesText('download', ['httpget', 'mobileDownload'])).toContain('Did you mean mobileDownload?')
})

it('lists 20 choices, but only the five closest of 21, and how to list all', () => {
  expect(choicesText('number7', many(20), { listing: 'x --help' })).toBe(
    `Did you mean number7? Choices: ${many(20).join(', ')}.`,
  )
  expect(choicesText('number17', ['isp', ...many(20)], { listing: 'x --help' })).toBe(
    'Did you mean number17? The closest of 21 choices: number17, number1, number7, number10, number11. To list all: x --help',
  )
})

it('counts choices that were not sent', () => {
  expect(choicesText('isp', many(19), { total: 3_000 })).toMatch(/^The closest of 3000 choices: (\w+, ){4}\w+\.$/)
})

it('compares only the first 64 characters', () => {
  const start = 'x'.repeat(64)
  expect(choicesText(`${start}${'y'.repeat(100_000)}`, ['isp', `${start}z`])).toContain(`Did you mean ${start}z?`)
  expect(choicesText(`${start.slice(1)}${'y'.repeat(100_000)}`, ['z'.repeat(64)])).not.toContain('Did you mean')
})
