import { parse as parseByCsvParse } from 'csv-parse/sync'
import papaparse from 'papaparse'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newSeed, rollDice, type Dice } from '../../faults/dice.ts'
import { until } from '../../faults/attempt.ts'
import { call } from '../../kit/call.ts'
import { storeFacts } from '../../kit/facts.ts'
import { panel, token } from '../../kit/panels.ts'
import { openExportWorld, shownOf, type ExportWorld } from './export-world.ts'
import { guarded, parseFile } from './parse-file.ts'

const rows = 5_000
const dice = rollDice(newSeed())
let exports: ExportWorld

beforeAll(async () => {
  exports = await openExportWorld(null)
  await panel(exports.world, 'homes', 'acme', ['whitebox'])
}, 60_000)
afterAll(() => exports.world.close())

/** Texts that break CSV readers, spreadsheets or terminals. The test uses them alone and in combination. */
const pieces = [
  ['"', '""', ',', ';', '\n', '\r', '\r\n', '\t', '\0', "'", '\\', '\\"', '\\N', ' ', '  ', '\v', '\u0085'],
  ['=', '+', '-', '@', '=cmd|calc', '=HYPERLINK("x";"y")', '+1', '-1', '@SUM(1)', '\uFF1D1', "'="],
  ['\uFF0B1', '\uFF0D1', '\uFF20SUM(1)', ' =1', '\u00A0+1', '\u3000-1', '\u200B@x', '\0=1', '\u2212'],
  ['\u202E', '\u200F', '\uFEFF', '\u2028', 'שלום', 'مرحبا', '日本', '🏠', 'é', 'e\u0301', '\u{10FFFF}', '\uFFFD'],
  ['a', 'Zz', '0', 'NULL', 'null', 'nan', 'inf', '1e5', '2026-01-01', 'true'],
].flat()

const rollText = (chance: Dice): string =>
  Array.from({ length: chance.between(0, 6) }, () => chance.pick(pieces)).join('')

it(
  `writes ${(2 * rows).toLocaleString('en')} texts so that two parsers read them unchanged, except for the documented quote`,
  { timeout: 120_000 },
  async () => {
    const texts = Array.from({ length: rows }, (_, number) => {
      const chance = dice.fork(number)
      return { target: rollText(chance), hop_name: chance.between(1, 20) === 1 ? null : rollText(chance) }
    })
    const start = Date.UTC(2026, 0, 1)
    await storeFacts(
      exports.world,
      'traceroute',
      texts.map((one, index) => ({
        agent: 'homes-whitebox',
        dtime: new Date(start + index * 1000).toISOString().replace('T', ' ').slice(0, -1),
        hop: 1,
        ...one,
      })),
    )
    const body = { test: 'traceroute', date: { from: '2026-01', to: '2026-01' } }
    const csv = shownOf(await exports.ask('/test_data.csv', body))
    expect(csv).toMatchObject({ status: 'complete', rows })
    const bytes = Buffer.from(await (await fetch(csv.url ?? '')).arrayBuffer())
    // The decoder is strict. A decoder that replaces invalid bytes would hide that the file is not UTF-8.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)

    const expected = texts.map((one) => [guarded(one.target), guarded(one.hop_name ?? '')])
    const chosen = (cells: readonly string[][]) => {
      const [header = [], ...records] = cells
      const [target, name] = [header.indexOf('target'), header.indexOf('hop_name')]
      return records.map((record) => [record[target], record[name]])
    }
    const one = chosen(parseByCsvParse(bytes))
    const other = chosen(
      papaparse.parse<string[]>(text, { delimiter: ',', newline: '\r\n', skipEmptyLines: 'greedy' }).data,
    )
    for (const [name, read] of Object.entries({ 'csv-parse': one, papaparse: other })) {
      expect(read.length, name).toBe(rows)
      const wrong = read.findIndex((cells, index) => cells.join('\u0001') !== expected[index]?.join('\u0001'))
      expect(read[wrong], `row ${wrong} by ${name}, seed ${dice.seed}`).toEqual(expected[wrong])
    }
    // In CSV, null and an empty text differ only in the quotes. Parquet contains every text unchanged.
    const nulls = (await parseFile('csv', new Uint8Array(bytes))).filter((row) => row['hop_name'] === null)
    expect(nulls.length).toBe(texts.filter((each) => each.hop_name === null).length)
    const parquet = shownOf(await exports.ask('/test_data.csv', { ...body, format: 'parquet' }))
    const file = new Uint8Array(await (await fetch(parquet.url ?? '')).arrayBuffer())
    const plain = (await parseFile('parquet', file)).map((row) => [row['target'], row['hop_name']])
    // The Parquet reader of this test drops a byte order mark at the start of a text.
    const read = (cell: string | null) => cell?.replace(/^\uFEFF/, '') ?? null
    expect(plain).toEqual(texts.map((each) => [read(each.target), read(each.hop_name)]))
    const prefixed = expected.flat().filter((cell) => /^'[=+\-@\t\r]/.test(cell)).length
    console.log(`${2 * rows} texts, ${prefixed} with a quote put before them, ${nulls.length} null, seed ${dice.seed}`)
    expect(prefixed).toBeGreaterThan(rows / 10)
  },
)

it('names columns after custom fields of any name, and escapes their values', { timeout: 60_000 }, async () => {
  await storeFacts(exports.world, 'ping', [
    {
      agent: 'homes-whitebox',
      dtime: new Date().toISOString().replace('T', ' ').slice(0, -1),
      target: 'n1',
      rtt_avg: 12_000,
    },
  ])
  const custom: Record<string, string | number> = { 'a"b, `c`.d{e}': '=1+1', plain: -5 }
  const writer = await token(exports.world, 'acme', ['metadata:write'])
  const changed = await call(`${exports.service.addresses.api}/metadata`, {
    method: 'PUT',
    token: `Bearer ${writer}`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agent: { agent_id: 'homes-whitebox' }, metadata: { custom } }),
  })
  expect(changed.status).toBe(200)
  const body = {
    metric: 'ping',
    normalised: false,
    prefilter: false,
    splits: Object.keys(custom).map((key) => `custom.${key}`),
    time: { from: '-2 days', to: '+2 days' },
  }
  for (const kind of [{ chartType: 'raw' }, { chartType: 'aggregate', aggregation: 'total' }]) {
    // A query sees the metadata change after a few seconds.
    await until(
      async () => (await exports.ask('/metric_data', { ...body, ...kind })).text.includes('=1+1'),
      10_000,
      200,
    )
    const shown = shownOf(await exports.ask('/metric_data.csv', { ...body, ...kind }))
    const [row] = await parseFile('csv', new Uint8Array(await (await fetch(shown.url ?? '')).arrayBuffer()))
    const cells = Object.entries(row ?? {}).filter(([name]) => name.startsWith('custom.'))
    expect(cells).toEqual([
      [body.splits[0], "'=1+1"],
      [body.splits[1], "'-5"],
    ])
  }
})
