import { afterAll, beforeAll, expect, it } from 'vitest'
import { importAgents } from '../../../src/engine/postgres/operator/import-agents.ts'
import { createPanel } from '../../../src/engine/postgres/operator/panels.ts'
import { rollDice } from '../../faults/dice.ts'
import { call } from '../../kit/call.ts'
import { storeFacts, type FactRow } from '../../kit/facts.ts'
import { agent, asLines, organisation, token } from '../../kit/panels.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { tQuantile } from '../reference/model/t-quantiles.ts'

const agents = Array.from({ length: 9 }, (_, index) => `home-${index}`)
const dice = rollDice(4)
const at = (hour: number, minute: number): string =>
  `2026-01-05 ${[hour, minute].map((part) => String(part).padStart(2, '0')).join(':')}:00.000`

/** Between 1 and 15 results of each agent, at different hours. */
const once: FactRow[] = agents.flatMap((id) =>
  Array.from({ length: dice.between(1, 15) }, (_, minute) => ({
    agent: id,
    dtime: at(dice.between(0, 23), minute),
    rtt_avg: dice.between(1_000, 90_000),
    successes: dice.between(500, 600),
    failures: dice.between(0, 30),
  })),
)
const scale = 7

/** The results of each panel. Every panel has the same agents under names of its own. */
const panels: Record<string, FactRow[]> = {
  once,
  twice: once.flatMap((row) => [row, { ...row, dtime: row.dtime.replace(':00.000', ':30.000') }]),
  scaled: once.map((row) => ({ ...row, rtt_avg: scale * Number(row['rtt_avg']) })),
  // The same number of failures of many more packets: the share is a seventh.
  diluted: once.map((row) => ({
    ...row,
    successes: scale * (Number(row['successes']) + Number(row['failures'])) - Number(row['failures']),
  })),
  single: agents.map((id) => ({ agent: id, dtime: at(12, 0), rtt_avg: dice.between(1_000, 90_000) })),
}

let world: World
let api: string
let authorization: string
beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  for (const [key, rows] of Object.entries(panels)) {
    await world.operate(async (operator) => {
      await createPanel(operator, { key, name: key, owner: 'acme' })
      const lines = agents.map((id, line) => ({ line, row: agent({ agent_id: `${key}-${id}` }) }))
      await importAgents(operator, key, asLines(lines), () => {})
    })
    const own = rows.map((row) => ({ ...row, agent: `${key}-${row.agent}` }))
    await storeFacts(world, 'latency', own)
  }
  authorization = await token(world, 'acme')
  ;({ api } = (await world.serve()).addresses)
}, 120_000)
afterAll(() => world.close())

type Point = Record<string, number>

async function pointOf(panel: string, request: Record<string, unknown>): Promise<Point> {
  const answer = await call(`${api}/metric_data`, {
    method: 'POST',
    token: authorization,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      panel,
      chartType: 'aggregate',
      aggregation: 'total',
      prefilter: false,
      include: ['uncertainty'],
      percentiles: 'none',
      time: { from: '2026-01-05', to: '2026-01-05' },
      ...request,
    }),
  })
  expect(answer.body).toMatchObject({ code: 'OK' })
  const [series] = answer.body['data'] as { metricData: Point[] }[]
  return series?.metricData[0] ?? {}
}

const intervals = ['ci90', 'ci95', 'ci99', 'standardError']

const expectRatio = (one: Point, other: Point, names: readonly string[], ratio: number): void => {
  for (const name of names) expect(Number(one[name]) / Number(other[name]) / ratio, name).toBeCloseTo(1, 9)
}

const statistics = [
  { metric: 'latency', normalised: false },
  { metric: 'latency', normalised: true },
  { metric: 'packetLoss', normalised: false },
  { metric: 'packetLoss', normalised: true },
]

it.each(statistics)('twice the results of every agent leave the interval by agents as it is: %o', async (request) => {
  const [one, two] = [await pointOf('once', request), await pointOf('twice', request)]
  expect(two['sampleCount']).toBe(2 * once.length)
  expectRatio(two, one, [...intervals, 'metricValue', 'effectiveAgents', 'degreesOfFreedom', 'largestAgentShare'], 1)
  const former = { ...request, intervals: 'results' }
  expectRatio(await pointOf('twice', former), await pointOf('once', former), ['ci90', 'ci95', 'ci99'], Math.SQRT1_2)
})

it.each([false, true])(
  'the interval scales with the values, and a share with its parts; normalised: %s',
  async (normalised) => {
    const mean = { metric: 'latency', normalised }
    expectRatio(await pointOf('scaled', mean), await pointOf('once', mean), [...intervals, 'metricValue'], scale)
    const share = { metric: 'packetLoss', normalised }
    expectRatio(await pointOf('diluted', share), await pointOf('once', share), [...intervals, 'metricValue'], 1 / scale)
  },
)

it('with one result per agent, the two kinds of intervals differ by t and m/(m − 1) only', async () => {
  const request = { metric: 'latency', normalised: false }
  const byAgents = await pointOf('single', request)
  const byResults = await pointOf('single', { ...request, intervals: 'results' })
  const m = agents.length
  expectRatio(byAgents, byResults, ['ci95'], (tQuantile(0.95, m - 1) / 1.959963984540054) * Math.sqrt(m / (m - 1)))
  expect(byAgents['designEffect']).toBeCloseTo(m / (m - 1), 9)
})
