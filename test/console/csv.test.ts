import { expect, it } from 'vitest'
import { csvLine } from '../../console/src/parts/csv.ts'
import { formulaStart } from '../../src/compile/export/export-file.ts'
import { shownSeries } from '../../src/serve/commands/data/shown-series.ts'

const computed = [
  ['=1', '+1', '-1', '@SUM(1)', '\tx', '\rx'],
  ['＝1', '＋1', '－1', '＠SUM(1)'],
  [' =1', '   ＝1', '\u00A0-1', '\u3000+1', '\n@x', '\uFEFF=1', '\u200B=1', '\u202E=1', '\0=1', ' \t ＋1'],
].flat()
const plain = ['', ' ', 'x=1', ' x', "'=1", '1-1', 'a@b', '\u22121', 'ｘ＝1', '🏠=']

/** Removes the quotes around a cell, if it has any. */
const unquoted = (cell: string): string => cell.replace(/^"([^]*)"$/, '$1')
const byConsole = (text: string): string => unquoted(csvLine([text]).slice(0, -2))
const byCommand = (text: string): string => {
  const written = shownSeries([{ metricData: [{ isp: text }] }], {
    splits: ['isp'],
    format: 'csv',
    title: '',
    unit: '',
  })
  return unquoted(written.slice('isp\n'.length, -1))
}

it.each([
  ['the console', byConsole],
  ['broadgauge query', byCommand],
])('%s writes an apostrophe before a text that a spreadsheet would execute, and before no other', (_who, written) => {
  for (const text of computed) expect(written(text), JSON.stringify(text)).toBe(`'${text}`)
  for (const text of plain) expect(written(text), JSON.stringify(text)).toBe(text)
})

it('ClickHouse’s pattern finds the same texts in JavaScript', () => {
  const pattern = new RegExp(formulaStart, 'u')
  expect([...computed, ...plain].filter((text) => pattern.test(text))).toEqual(computed)
})
