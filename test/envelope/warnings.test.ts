import { expect, it } from 'vitest'
import {
  pooledWarnings,
  rangeWarnings,
  shownWarnings,
  unknownValueWarnings,
  warningsHeader,
  warningsMax,
} from '../../src/envelope/warnings.ts'

const unknown = (count: number, value = (index: number) => `v${index}`) =>
  Array.from({ length: count }, (_, index) => ({ id: 'isp', value: value(index) }))

it('has one warning for each value, and a last one that counts the others', () => {
  expect(shownWarnings(unknownValueWarnings(unknown(warningsMax)))).toHaveLength(warningsMax)
  const cut = shownWarnings(unknownValueWarnings(unknown(warningsMax + 7)))
  expect(cut).toHaveLength(warningsMax + 1)
  expect(cut[0]).toEqual({
    code: 'unknown_filter_value',
    message: 'No agent or result you can see has this value.',
    id: 'isp',
    value: 'v0',
  })
  expect(cut.at(-1)).toEqual({ code: 'more_warnings', message: '7 more of these.' })
})

it('warns of a range beyond the results of all panels together, by more than a day', () => {
  const found = [
    { first: 100, last: 110 },
    { first: 105, last: 120 },
  ]
  expect(rangeWarnings({ first: 99, last: 121 }, found)).toEqual([])
  expect(rangeWarnings({ first: 98, last: 121 }, found)).toMatchObject([
    { message: expect.stringMatching(/^The range begins before the first day/), firstDay: '1970-04-11' },
  ])
  expect(rangeWarnings({ first: 99, last: 122 }, found)).toMatchObject([
    { message: expect.stringMatching(/^The range ends after the last day/), lastDay: '1970-05-01' },
  ])
  expect(rangeWarnings({ first: 1, last: 999 }, [])).toEqual([])
})

it('warns of two pooled panels, and not of one', () => {
  expect(pooledWarnings(['homes'])).toEqual([])
  expect(pooledWarnings(['homes', 'offices'])).toMatchObject([{ code: 'panels_pooled', panels: ['homes', 'offices'] }])
})

it('does not repeat a secret', () => {
  const [warning] = unknownValueWarnings([{ id: 'isp', value: 'https://user:planted@host/bg_0123456789abc' }])
  expect(warning?.value).toBe('https://user:***@host/bg_***')
})

it('shows the beginning of a long value', () => {
  const [warning] = unknownValueWarnings([{ id: 'isp', value: 'x'.repeat(20_000) }])
  expect(warning?.value).toBe(`${'x'.repeat(255)}…`)
})

const headerOf = (...given: Parameters<typeof unknown>) =>
  warningsHeader(unknownValueWarnings(unknown(...given)))['broadgauge-warnings'] ?? ''

it('has no header without warnings', () => {
  expect(warningsHeader([])).toEqual({})
})

it('is JSON in ASCII as a header, for any value', () => {
  const value = 'Ünïcode 🎉 " \\ \r\n\t \u007f \u2028'
  const text = headerOf(1, () => value)
  expect(text).toMatch(/^[ -~]+$/)
  expect(JSON.parse(text)).toEqual(unknownValueWarnings(unknown(1, () => value)))
})

it.each([
  ['short values', 1_000, (index: number) => `v${index}`],
  ['long values', 1_000, (index: number) => `${index}${'🎉'.repeat(500)}`],
  ['one very long value', 1, () => '🎉'.repeat(500)],
])('fits into 4 KB and gives the number of omitted warnings: %s', (_what, count, value) => {
  const text = headerOf(count, value)
  expect(text.length).toBeLessThanOrEqual(4_096)
  const warnings = JSON.parse(text) as { code: string; message: string }[]
  const shown = warnings.filter(({ code }) => code === 'unknown_filter_value').length
  expect(shown).toBeGreaterThan(0)
  const left = warnings.filter(({ code }) => code === 'more_warnings').map(({ message }) => message)
  expect(left).toEqual(shown === count ? [] : [`${count - shown} more of these.`])
})
