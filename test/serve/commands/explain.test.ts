import { afterAll, beforeAll, expect, it } from 'vitest'
import { createProgram } from '../../../src/serve/program.ts'
import { until } from '../../faults/attempt.ts'
import { storeFacts } from '../../kit/facts.ts'
import { organisation, panel } from '../../kit/panels.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { ageResults, buildAll } from '../../features/rollup/build.ts'

let world: World
const days = ['05', '06', '07']
const request = {
  metric: 'httpget',
  chartType: 'aggregate',
  aggregation: 'daily',
  normalised: false,
  prefilter: false,
  time: { from: '2026-01-05 00:00', to: '2026-01-08 11:59:59' },
}

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  await organisation(world, 'other')
  await panel(world, 'homes', 'acme', ['whitebox'])
  await panel(world, 'theirs', 'other', ['whitebox'])
  const results = days.map((day) => ({ dtime: `2026-01-${day} 12:00:00.000`, bytes_sec: 1_000_000, warmup_time: 1 }))
  await storeFacts(
    world,
    'httpget',
    ['homes', 'theirs'].flatMap((one) => results.map((row) => ({ agent: `${one}-whitebox`, ...row }))),
  )
  await ageResults(world, ['httpget'])
  const day = (text: string) => Date.parse(text) / 86_400_000
  // Start an instance, which publishes the agents to ClickHouse.
  await world.serve()
  const isBuilt = async () => (await buildAll(world, { from: day('2026-01-05'), to: day('2026-01-07') })).length > 0
  await until(isBuilt, 30_000, 200)
}, 60_000)
afterAll(() => world.close())

async function explain(more: object, organisationKey = 'acme'): Promise<string> {
  let text = ''
  const program = createProgram({ environment: world.environment, write: (shown) => void (text += shown) })
  const words = ['explain', JSON.stringify({ ...request, ...more }), '--organisation', organisationKey]
  await program.parseAsync(words, { from: 'user' })
  return text
}

it('shows plan, SQL, parameters, and how many results of which panels ClickHouse would read', async () => {
  const text = await explain({ splits: ['isp'] })
  expect(text).toMatch(/^Plan\n\{\n {2}"metric": "httpget",\n/)
  expect(text).toContain('\n  "splits": [\n    "isp"\n  ]')
  expect(text).toMatch(/\n\nSQL\n[^]+httpget[^]+\n\nParameters\n[^]+/)
  expect(text).toMatch(/\nAll days are read from results\. ClickHouse would read about [36] rows: /)
})

it('shows the statement that would run: from rollups, if they can answer', async () => {
  const text = await explain({ percentiles: 'none', intervals: 'results', splits: ['isp'] })
  expect(text).toContain('metric_rollup')
  expect(text).toContain(
    '\n3 days are read from rollups (isp), the other days from results. ClickHouse would read about ',
  )
  expect(await explain({ percentiles: 'none', intervals: 'results', splits: ['agent'] })).toContain(
    '\nAll days are read from results.',
  )
  expect(await explain({ percentiles: 'none', splits: ['isp'] })).toContain('\nAll days are read from results.')
})

it('reports an invalid request, and an unknown organisation', async () => {
  await expect(explain({ metric: 'htpget' })).rejects.toThrow('metric: ')
  await expect(explain({}, 'nobody')).rejects.toThrow('There is no organisation "nobody"')
})
