import { afterAll, beforeAll, expect, it } from 'vitest'
import { aggregations } from '../../../src/catalog/aggregations.ts'
import { exportFormats } from '../../../src/catalog/export-formats.ts'
import { percentileChoices } from '../../../src/check/metric/point-statistics.ts'
import { newSeed, rollDice, type Dice } from '../../faults/dice.ts'
import { openExportWorld, shownOf, type ExportWorld } from './export-world.ts'
import { guarded, parseFile, rowsOfAnswer, type Row } from './parse-file.ts'

const isDeep = process.env['BROADGAUGE_TEST_DEEP'] === '1'
const requests = isDeep ? 40 : 12
const largeRows = isDeep ? 100_000 : 10_000
const dice = rollDice(newSeed())
let exports: ExportWorld

beforeAll(async () => {
  const tests = ['httpget', 'dns', 'ping', 'mobile_download']
  exports = await openExportWorld({ agents: isDeep ? 450 : 45, days: 28, tests })
}, 120_000)
afterAll(() => exports.world.close())

type Asked = { kind: 'raw' | 'split' | 'aggregate' | 'test'; large: boolean; path: string; body: Row }

/**
 * Three successive aggregate requests have three different choices of percentiles. Nine successive aggregate requests
 * have every combination of percentiles and format.
 */
function percentilesOf(number: number): string {
  const turn = Math.floor(number / 4)
  return percentileChoices[(turn + Math.floor(turn / 3)) % 3] ?? 'exact'
}

/** Additions to points rotate too. Most of them add columns of their own, and some of these contain lists. */
const inclusions: readonly Row[] = [
  { include: ['uncertainty'] },
  { include: ['prefilter', 'coverage'], prefilter: true },
  {},
]
const inclusionOf = (number: number): Row => inclusions[Math.floor(number / 4) % 3] ?? {}

/**
 * The kind, size and format of the request rotate with `number`, so that all of them occur. The other fields are
 * random.
 */
function rollRequest(chance: Dice, number: number): Asked {
  const kinds = ['test', 'raw', 'aggregate', 'split'] as const
  const kind = kinds[number % kinds.length] ?? 'test'
  const large = kind !== 'aggregate' && number % 8 < 4
  const days = large ? 28 : chance.between(0, 4)
  const format = exportFormats[number % exportFormats.length]?.key
  const first = Temporal.PlainDate.from('2026-03-19').add({ days: large ? 0 : chance.between(0, 27) })
  const last = first.add({ days })
  if (kind === 'test') {
    const test = large ? 'dns' : chance.pick(['httpget', 'dns', 'ping', 'mobile_download'])
    return { kind, large, path: '/test_data', body: { test, format, date: { from: String(first), to: String(last) } } }
  }
  const metric = large ? 'dnsResponse' : chance.pick(['httpget', 'dnsResponse', 'pingLoss', 'mobileDownload'])
  const splits = ['isp', 'package', 'base', ...(metric === 'mobileDownload' ? ['carrier_name'] : ['country'])]
  const body = {
    metric,
    format,
    chartType: kind === 'aggregate' ? 'aggregate' : 'raw',
    ...(kind === 'aggregate' ? { aggregation: chance.pick(aggregations).key, percentiles: percentilesOf(number) } : {}),
    normalised: chance.pick([true, false]),
    prefilter: chance.pick([true, false]),
    ...(kind === 'aggregate' ? inclusionOf(number) : {}),
    ...(kind === 'raw' && !large ? { include: ['prefilter'], prefilter: true } : {}),
    ...(kind === 'raw' ? {} : { splits: splits.slice(0, chance.between(1, splits.length)) }),
    time: { from: `${String(first)} 00:00`, to: `${String(last)} 23:59:59` },
  }
  return { kind, large, path: '/metric_data', body }
}

async function compare({ path, body }: Asked): Promise<number> {
  const { format, ...plain } = body
  const shown = shownOf(await exports.ask(`${path}.csv`, body))
  const answer = await exports.ask(path, plain)
  expect(shown, JSON.stringify(body)).toMatchObject({ status: 'complete', url: expect.any(String) })
  const response = await fetch(shown.url ?? '')
  const bytes = new Uint8Array(await response.arrayBuffer())
  expect([response.status, bytes.length]).toEqual([200, shown.bytes])
  const rows = await parseFile(String(format), bytes)
  const expected = rowsOfAnswer(answer.body['data'])
  expect([rows.length, shown.rows], JSON.stringify(body)).toEqual([expected.length, expected.length])
  if (body['chartType'] === 'aggregate') {
    const levels = Object.keys(rows[0] ?? {}).filter((name) => /^(median|percentile_\d+)$/.test(name))
    expect(levels.length, JSON.stringify(body)).toBe(rows.length === 0 || body['percentiles'] === 'none' ? 0 : 12)
  }
  const isCsv = format !== 'parquet'
  for (const [index, row] of expected.entries()) {
    const cells = Object.entries(row).map(([name, value]) => [
      name,
      isCsv && typeof value === 'string' ? guarded(value) : value,
    ])
    // `toEqual` for each row would be too slow for millions of cells. This comparison also checks the order of columns.
    if (JSON.stringify(Object.entries(rows[index] ?? {})) !== JSON.stringify(cells))
      expect(rows[index], `row ${index} of ${JSON.stringify(body)}, seed ${dice.seed}`).toEqual(
        Object.fromEntries(cells),
      )
  }
  return rows.length
}

it(`writes ${requests} files with the same rows as JSON`, { timeout: 1_200_000 }, async () => {
  const asked = Array.from({ length: requests }, (_, number) => rollRequest(dice.fork(number), number))
  const counted: { kind: string; rows: number }[] = []
  for (const one of asked) counted.push({ kind: one.kind, rows: await compare(one) })
  const large = counted.filter(({ rows }) => rows > largeRows)
  const split = counted.filter(({ kind, rows }) => kind === 'split' && rows > 0)
  console.log(
    `${requests} requests, ${counted.reduce((sum, { rows }) => sum + rows, 0)} rows, ${large.length} files above ` +
      `${largeRows} rows, ${split.length} raw with splits, seed ${dice.seed}`,
  )
  expect(large.length).toBeGreaterThanOrEqual(Math.floor(requests / 4))
  expect(split.length).toBeGreaterThanOrEqual(Math.floor(requests / 8))
})
