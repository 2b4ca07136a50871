import { tableFromIPC } from 'apache-arrow'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../../../clients/typescript/src/index.ts'
import { importAgents } from '../../../src/engine/postgres/operator/import-agents.ts'
import { createPanel } from '../../../src/engine/postgres/operator/panels.ts'
import { createProgram } from '../../../src/serve/program.ts'
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
  expect(await query()).toBe(`period      metricValue  sampleCount  agentCount  ci95     median  caution
2026-01-05  36           2            2           355.774  36      few_agents dominated
2026-01-06  16           1            1           -        16      one_agent
`)
})

it('computes a statistic of each agent first, and the share of agents that reach a bound', async () => {
  const shown = await query('--by', 'total', '--per-agent', 'p20', '--reaching', '>10', '--format', 'json')
  expect(JSON.parse(shown)).toMatchObject([
    // Of 8 and 16 Mbit/s, percentile 20 is 9.6.
    { metricData: [{ metricValue: 36.8, min: 9.6, max: 64, agentCount: 2, reachingAgents: 1, reachingShare: 50 }] },
  ])
  const few = await query('--by', 'total', '--per-agent', 'share<20', '--minimum-results', '2', '--format', 'json')
  expect(JSON.parse(few)).toMatchObject([{ metricData: [{ metricValue: 100, agentsBelowMinimum: 1 }] }])
  await expect(query('--per-agent', 'p')).rejects.toThrow('--per-agent takes mean')
  await expect(query('--per-agent', 'mean', '--reaching', 'x')).rejects.toThrow('--reaching takes a number')
})

it('compares with the days before, with a range, or with a series of a split', async () => {
  const [days, range] = [
    ['--from', '2026-01-06', '--to', '2026-01-06'],
    ['--compare', '2026-01-05..2026-01-05'],
  ]
  const expected = `period      metricValue  sampleCount  agentCount  ci95  median  difference  low  high  pAdjusted  verdict              caution
2026-01-06  16           1            1           -     16      -20         -    -     -          not_distinguishable  one_agent
`
  expect(await query(...days, '--compare', 'previous')).toBe(expected)
  expect(await query(...days, ...range, '--margin', '5%')).toBe(expected)
  const series = ['--by', 'total', '--split', 'agent', '--compare', 'agent=one', '--match-agents', '--margin', '2']
  expect(parse(await query(...series, '--format', 'csv'), { columns: true })).toMatchObject([
    { agent: 'one', comparison_verdict: '' },
    { agent: 'two', comparison_verdict: '' },
  ])
  await expect(query('--compare', 'isp')).rejects.toThrow('--compare takes previous')
  await expect(query('--compare', 'previous', '--margin', 'x')).rejects.toThrow('--margin takes a number')
  await expect(query('--match-agents')).rejects.toThrow('--margin and --match-agents need --compare')
})

it('has the percentiles, the histogram and the preset of its options', async () => {
  const options = ['--by', 'total', '--percentile-levels', '2.5,50', '--histogram', '8,16']
  expect(JSON.parse(await query(...options, '--format', 'json'))).toMatchObject([
    { metricData: [{ percentiles: { 50: 16 }, histogram: { edges: [8, 16], counts: [2], below: 0, above: 1 } }] },
  ])
  const rows: Record<string, string>[] = parse(await query(...options, '--format', 'csv'), { columns: true })
  expect(rows[0]).toMatchObject({ histogram_edges: '[8,16]', histogram_counts: '[2]', histogram_above: '1' })
  expect(JSON.parse(await query('--histogram', 'log', '--format', 'json'))).toMatchObject([
    { metricData: [{ histogram: { below: 0 } }, { histogram: { counts: [1] } }] },
  ])
  // No agent has a package, so nothing is relative to its plan.
  expect(await query('--preset', 'fcc.plan-bands')).toBe('Nothing was found.\n')
  await expect(query('--percentile-levels', '5;6')).rejects.toThrow('--percentile-levels takes numbers')
})

it('selects and orders points', async () => {
  const dated = async (...options: string[]) =>
    (JSON.parse(await query(...options, '--format', 'json')) as { metricData: { dtime: string }[] }[]).flatMap(
      ({ metricData }) => metricData.map(({ dtime }) => dtime),
    )
  expect(await dated()).toEqual(['2026-01-05', '2026-01-06'])
  expect(await dated('--order', 'metricValue')).toEqual(['2026-01-06', '2026-01-05'])
  expect(await dated('--order', 'dtime:desc', '--limit', '1')).toEqual(['2026-01-06'])
  expect(await dated('--having', 'metricValue>16')).toEqual(['2026-01-05'])
  expect(await dated('--having', 'metricValue>=16', '--having', 'metricValue<=16')).toEqual(['2026-01-06'])
  expect(await dated('--having', 'metricValue<16')).toEqual([])
  await expect(query('--having', 'metricValue')).rejects.toThrow('--having takes a condition')
  await expect(query('--order', 'metricvalue')).rejects.toThrow('metricValue')
})

it('shows which periods are partial, and leaves them out on request', async () => {
  const weeks = ['--by', 'weekly', '--from', '2026-01-06 00:00', '--to', '2026-02-01']
  expect(await query(...weeks)).toBe(`period      metricValue  sampleCount  agentCount  ci95  median  partial  caution
2026-01-05  16           1            1           -     16      true     one_agent
`)
  expect(await query(...weeks, '--whole-periods')).toBe('Nothing was found.\n')
  const rows: Record<string, string>[] = parse(await query('--format', 'csv'), { columns: true })
  expect(rows.map(({ period, partial }) => [period, partial])).toEqual([
    ['2026-01-05', 'false'],
    ['2026-01-06', 'false'],
  ])
})

it('leaves out agents without a package if speeds are relative to the plan', async () => {
  expect(await query('--relative-to', 'plan')).toBe('Nothing was found.\n')
})

it('warns next to its answer that nothing has the value of a filter', async () => {
  await query('--filter', 'country=Atlantis', '--format', 'json')
  expect(warned).toBe(
    'Warning: The range begins before the first and ends after the last day with results: there are results from 2026-01-05 to 2026-01-06 (UTC).\n' +
      'Warning: country=Atlantis: No agent or result you can see has this value.\n',
  )
  await query('--from', '2026-01-05', '--to', '2026-01-06')
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

it('writes NDJSON and Arrow as the service sends them', async () => {
  const bytes = async (format: string): Promise<Buffer> => {
    const chunks: Uint8Array[] = []
    const program = createProgram({ environment, write: () => {}, writeBytes: (chunk) => void chunks.push(chunk) })
    const range = ['--from', '2026-01-01 00:00', '--to', '2026-01-31 23:59']
    await program.parseAsync(['query', 'httpget', ...range, '--format', format], { from: 'user' })
    return Buffer.concat(chunks)
  }
  const lines = (await bytes('ndjson')).toString('utf8').trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { dtime: '2026-01-05', metricValue: 36, percentile_50: 36, caution: ['few_agents', 'dominated'] },
    { dtime: '2026-01-06', metricValue: 16 },
  ])
  const table = tableFromIPC(await bytes('arrow'))
  expect(table.getChild('metricValue')?.toJSON()).toEqual([36, 16])
})

it('writes JSON, and draws a line of blocks per series', async () => {
  expect(JSON.parse(await query('--by', 'total', '--format', 'json'))).toMatchObject([
    { metricData: [{ sampleCount: 3 }] },
  ])
  expect(await query('--split', 'base', '--format', 'chart')).toBe(
    'httpget: each line has its own scale\n=SUM(1)         ▁█  ▁ 8 to █ 16 Mbit/s\na "box", black  ▁   ▁ 64 to █ 64 Mbit/s\n',
  )
})

it('lists the choices of the caller, and the values of a filter', async () => {
  const choices = async (...words: string[]): Promise<string> => {
    let text = ''
    const program = createProgram({ environment, write: (more) => void (text += more) })
    await program.parseAsync(['choices', ...words], { from: 'user' })
    return text
  }
  expect(await choices('metric', 'httpget_')).toBe('httpget_single\nhttpget_multi\nhttpget_retrans\n')
  expect(await choices('split', 'hour')).toBe('hour_of_day\n')
  expect(await choices('filter', 'agent=')).toBe('agent=one\nagent=two\n')
  expect(await choices('filter', 'agent!=T')).toBe('agent!=two\n')
  await expect(choices('filter', 'agnet=')).rejects.toThrow('no such filter: agnet. Did you mean agent?')
})

it('filters: alternatives of one id, several ids, and exclusions', async () => {
  const samples = async (...words: string[]): Promise<unknown> =>
    JSON.parse(await query('--by', 'total', '--format', 'json', ...words))[0].metricData[0]?.sampleCount
  expect(await samples('--filter', 'agent=one', '--filter', 'agent=two')).toBe(3)
  expect(await samples('--filter', 'agent!=two')).toBe(2)
  expect(await samples('--filter', 'agent=one', '--filter', 'base!==SUM(1)')).toBeUndefined()
  await expect(query('--filter', 'agent')).rejects.toThrow('--filter takes id=value')
})

it('asks only for peak hours, if told to', async () => {
  await storeFacts(world, 'httpget', [
    { agent: 'two', dtime: '2026-02-06 19:00:00.000', bytes_sec: 3_000_000, warmup_time: 1 },
    { agent: 'two', dtime: '2026-02-07 19:00:00.000', bytes_sec: 4_000_000, warmup_time: 1 },
  ])
  const february = ['--from', '2026-02-06', '--to', '2026-02-07', '--by', 'daily']
  expect(await query(...february, '--peak'))
    .toBe(`period      metricValue  sampleCount  agentCount  ci95  median  caution
2026-02-06  24           1            1           -     24      one_agent
`)
  expect((await query(...february)).split('\n')).toHaveLength(4)
})

it('reports an invalid request with the closest choices that the caller has', async () => {
  await expect(query('--split', 'ips')).rejects.toThrow(
    /^Validation failed\n  splits\[0\]: The value you selected .* Did you mean isp\? Choices: isp, package, .*ip_version\.$/,
  )
  await expect(query('--split', 'ips', '--filter', 'contry=GB')).rejects.toThrow('Did you mean country?')
  const program = createProgram({ environment, write: () => {} })
  await expect(program.parseAsync(['query', 'htpget'], { from: 'user' })).rejects.toThrow(
    /metric: .* Did you mean httpget\? The closest of \d\d choices: httpget, (\w+, ){3}\w+\. To list all: broadgauge choices metric$/,
  )
  const { BROADGAUGE_CALLER_TOKEN: right = '' } = environment
  environment['BROADGAUGE_CALLER_TOKEN'] = 'wrong'
  try {
    await expect(query()).rejects.toThrow('Access Denied')
  } finally {
    environment['BROADGAUGE_CALLER_TOKEN'] = right
  }
})

it('keeps the first series, and adds points for periods without results', async () => {
  const top = ['--split', 'agent', '--by', 'total', '--format', 'csv']
  const rows = async (...more: string[]) =>
    parse(await query(...top, ...more), { columns: true }) as Record<string, string>[]
  const shown = (found: Record<string, string>[]) =>
    found.map(({ agent: name, other, metricValue }) => [name, other, metricValue])
  expect(shown(await rows('--top', '1'))).toEqual([
    ['two', 'false', '64'],
    ['', 'true', '12'],
  ])
  expect(shown(await rows('--top', '1:sampleCount', '--no-others'))).toEqual([['one', undefined, '12']])
  expect(shown(await rows('--top', '1:metricValue:asc', '--no-others'))).toEqual([['one', undefined, '12']])
  await expect(query('--top', 'five')).rejects.toThrow('--top takes a number')
  const days = JSON.parse(await query('--empty-buckets', '--format', 'json')) as { metricData: object[] }[]
  expect(days[0]?.metricData).toHaveLength(31)
})

describe('a saved question', () => {
  const ask = async (...words: string[]): Promise<string> => {
    let text = ''
    const write = (more: string) => void (text += more)
    const writeBytes = (bytes: Uint8Array) => void (text += new TextDecoder().decode(bytes))
    const program = createProgram({ environment, write, writeBytes, warn: () => {} })
    await program.parseAsync(['query', ...words], { from: 'user' })
    return text
  }

  beforeAll(async () => {
    const secret = await token(world, 'north', ['data:read', 'questions:write'])
    environment['BROADGAUGE_CALLER_TOKEN'] = secret
    const request = {
      metric: 'httpget',
      chartType: 'aggregate',
      aggregation: 'daily',
      normalised: false,
      prefilter: false,
      time: { from: '2026-01-01', to: '2026-01-31' },
    } as const
    const { questions } = createClient({ url: service.addresses.api, token: secret })
    await questions.save('homes', { name: 'Homes', request: { ...request, splits: ['base'] }, parameters: ['base'] })
    await questions.save('results', { name: 'Results', request: { ...request, chartType: 'raw' } })
  })

  it('runs with its own range and splits, unless the command line has others', async () => {
    expect((await ask('--question', 'homes')).split('\n').map((line) => line.split(/ {2,}/)[2])).toEqual([
      'metricValue',
      '8',
      '16',
      '64',
      undefined,
    ])
    const json = await ask(
      '--question',
      'homes',
      '--from',
      '2026-01-06',
      '--filter',
      'base==SUM(1)',
      '--format',
      'json',
    )
    expect(JSON.parse(json)).toMatchObject([
      { metricData: [{ base: '=SUM(1)', dtime: '2026-01-06', metricValue: 16 }] },
    ])
    expect(await ask('--question', 'homes', '--format', 'csv')).toMatch(/^"dtime","metricValue",[^]*,64,/)
    expect(await ask('--question', 'homes', '--format', 'chart')).toMatch(/^Homes: /)
    expect((await ask('--question', 'results', '--format', 'ndjson')).split('\n')).toHaveLength(4)
  })

  it('takes no option that the question determines', async () => {
    const refused: [string[], RegExp][] = [
      [['--question', 'homes', '--by', 'total'], /takes only --from, --to, --filter, --format, --url; not: by/],
      [['--question', 'homes', '--filter', 'base!=x'], /--filter takes only id=value/],
      [['httpget', '--question', 'homes'], /either metrics or --question/],
      [['--question', 'results', '--format', 'chart'], /raw points/],
      [['--question', 'nothing'], /Not found/],
      [['--question', 'homes', '--filter', 'isp=x'], /isp/],
    ]
    for (const [words, message] of refused) await expect(ask(...words)).rejects.toThrow(message)
  })

  it('is shared by a link, which is shown once, listed and revoked', async () => {
    const run = async (...words: string[]): Promise<string> => {
      let text = ''
      const program = createProgram({ environment, write: (more) => void (text += more), warn: () => {} })
      await program.parseAsync(['question', ...words], { from: 'user' })
      return text
    }
    expect(await run('list')).toMatch(/^key +version .*\nhomes +1 .*\nresults +1 /)
    const shared = await run('share', 'homes', '--label', 'for the ministry', '--expires', '2', '--password')
    const [, id = '', url = '', password = ''] =
      /^Link (\d+); it cannot be shown again:\n(\S+)\nPassword, with any user name: (\S{24})\n$/.exec(shared) ?? []
    const visit = async () => {
      const headers = { authorization: `Basic ${btoa(`x:${password}`)}` }
      return (await fetch(`${url}.csv`, { headers })).status
    }
    expect([await visit(), (await fetch(`${url}.csv`)).status]).toEqual([200, 401])
    const [link, ...more] = JSON.parse(await run('links', 'homes', '--json')) as Record<string, unknown>[]
    expect([link, more]).toMatchObject([{ id: Number(id), label: 'for the ministry', has_password: true, uses: 1 }, []])
    const expiry = Temporal.Instant.from(String(link?.['expires_at']))
    expect(Math.round(Temporal.Now.instant().until(expiry).total('hours'))).toBe(48)
    expect(await run('revoke-link', 'homes', id)).toBe(`Link ${id} is revoked.\n`)
    expect([await visit(), await run('links', 'homes')]).toEqual([404, 'There are no rows.\n'])
    await expect(run('share', 'nothing', '--label', 'x')).rejects.toThrow('Not found')
    await expect(run('share', 'homes', '--label', ' ')).rejects.toThrow('label')
  })
})
