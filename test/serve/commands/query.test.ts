import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { MetricSeries } from '../../../clients/typescript/src/index.ts'
import { importAgents } from '../../../src/engine/postgres/operator/import-agents.ts'
import { createPanel } from '../../../src/engine/postgres/operator/panels.ts'
import { createProgram } from '../../../src/serve/program.ts'
import { shownSeries } from '../../../src/serve/commands/data/shown-series.ts'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { storeFacts } from '../../kit/facts.ts'
import { agent, asLines, organisation, token } from '../../kit/panels.ts'
import { openWorld, type World } from '../../kit/world.ts'

let world: World
let service: Service
let environment: Record<string, string>

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'north')
  await world.operate(async (operator) => {
    await createPanel(operator, { key: 'homes', name: 'Homes', owner: 'north' })
    const rows = [agent({ agent_id: 'one', base: '=SUM(1)' }), agent({ agent_id: 'two', base: 'a "box", black' })]
    await importAgents(operator, 'homes', asLines(rows.map((row, index) => ({ line: index + 2, row }))), () => {})
  })
  await storeFacts(world, 'httpget', [
    { agent: 'one', dtime: '2026-01-05 12:00:00.000', bytes_sec: 1_000_000, warmup_time: 1 },
    { agent: 'one', dtime: '2026-01-06 12:00:00.000', bytes_sec: 2_000_000, warmup_time: 1 },
    { agent: 'two', dtime: '2026-01-05 12:00:00.000', bytes_sec: 8_000_000, warmup_time: 1 },
  ])
  service = await world.serve()
  environment = { BROADGAUGE_CALLER_URL: service.addresses.api, BROADGAUGE_CALLER_TOKEN: await token(world, 'north') }
})
afterAll(() => world.close())

let warned = ''

async function query(...words: string[]): Promise<string> {
  let text = ''
  warned = ''
  const warn = (more: string) => void (warned += more)
  const program = createProgram({ environment, warn, write: (more) => void (text += more) })
  const range = ['--from', '2026-01-01 00:00', '--to', '2026-01-31 23:59']
  await program.parseAsync(['query', 'httpget', ...range, ...words], { from: 'user' })
  return text
}

it('shows a table', async () => {
  expect(await query()).toBe(`period      metricValue  sampleCount  agentCount  ci95     median
2026-01-05  36           2            2           38.8053  36
2026-01-06  16           1            1           -        16
`)
})

it('says beside its answer that nothing has the value of a filter', async () => {
  await query('--filter', 'country=Atlantis', '--format', 'json')
  expect(warned).toBe('Warning: country=Atlantis: No agent or result you can see has this value.\n')
  await query()
  expect(warned).toBe('')
})

it('writes CSV that a parser reads back, and no formula', async () => {
  const rows: Record<string, string>[] = parse(await query('--split', 'base', '--format', 'csv'), { columns: true })
  expect(rows.map(({ base, period, metricValue }) => [base, period, metricValue])).toEqual([
    ["'=SUM(1)", '2026-01-05', '8'],
    ["'=SUM(1)", '2026-01-06', '16'],
    ['a "box", black', '2026-01-05', '64'],
  ])
  expect(Object.keys(rows[0] ?? {})).toContain('percentile_99')
})

it('writes JSON, and draws a line of blocks a series', async () => {
  expect(JSON.parse(await query('--by', 'total', '--format', 'json'))).toMatchObject([
    { metricData: [{ sampleCount: 3 }] },
  ])
  expect(await query('--split', 'base', '--format', 'chart')).toBe(
    'httpget, mbps: 8.000 ▁ to 64.00 █\n=SUM(1)         ▁▂\na "box", black  █\n',
  )
})

it('draws the same period in the same column, also where a series begins later or has gaps', () => {
  const series = (base: string, points: readonly (readonly [string | number, number | null])[]) => {
    const labelled = points.map(([label, metricValue]) => ({
      base,
      ...(typeof label === 'number' ? { aggregatedNumber: label } : { dtime: label }),
      metricValue,
    }))
    return { metricData: labelled } as unknown as MetricSeries
  }
  const chart = (...all: MetricSeries[]) =>
    shownSeries(all, { splits: ['base'], format: 'chart', title: 't' })
      .split('\n')
      .slice(1)
  const [first, second, third, fourth] = ['2026-01-05', '2026-01-06', '2026-01-07', '2026-01-08'] as const
  expect(
    chart(
      series('late', [
        [third, 8],
        [fourth, 1],
      ]),
      series('gaps', [
        [first, 1],
        [second, null],
        [fourth, 8],
      ]),
      series('brief', [[second, 8]]),
    ),
  ).toEqual(['late     █▁', 'gaps   ▁  █', 'brief   █', ''])
  // Numbers are in the order of numbers.
  expect(
    chart(
      series('all', [
        [2, 1],
        [9, 1],
        [10, 8],
      ]),
      series('ten', [[10, 8]]),
    ),
  ).toEqual(['all  ▁▁█', 'ten    █', ''])
})

it('filters: alternatives of one id, several ids, and their opposite', async () => {
  const samples = async (...words: string[]): Promise<unknown> =>
    JSON.parse(await query('--by', 'total', '--format', 'json', ...words))[0].metricData[0]?.sampleCount
  expect(await samples('--filter', 'agent=one', '--filter', 'agent=two')).toBe(3)
  expect(await samples('--filter', 'agent!=two')).toBe(2)
  expect(await samples('--filter', 'agent=one', '--filter', 'base!==SUM(1)')).toBeUndefined()
  await expect(query('--filter', 'agent')).rejects.toThrow('--filter takes id=value')
})

it('says what is wrong', async () => {
  await expect(query('--split', 'nothing')).rejects.toThrow('Validation failed\n  splits[0]: The value you selected')
  environment['BROADGAUGE_CALLER_TOKEN'] = 'wrong'
  await expect(query()).rejects.toThrow('Access Denied')
})

it('completes commands in bash', async () => {
  let script = ''
  await createProgram({ environment, write: (more) => void (script += more) }).parseAsync(['completion', 'bash'], {
    from: 'user',
  })
  const complete = async (...words: string[]): Promise<string> => {
    const ask = `COMP_WORDS=(broadgauge ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _broadgauge; echo "\${COMPREPLY[@]}"`
    return (await promisify(execFile)('bash', ['-c', `${script}\n${ask}`])).stdout.trim()
  }
  expect(await complete('que')).toBe('query')
  expect(await complete('token', 'cr')).toBe('create')
  expect(await complete('query', 'httpget', '--norm')).toBe('--normalised')
  expect(await complete('user', 'role', 'ada', 'a')).toBe('administrator analyst')
})
