import { afterAll, beforeAll, expect, it } from 'vitest'
import { call } from '../../kit/call.ts'
import { storeFacts, type FactRow } from '../../kit/facts.ts'
import { organisation, panel, token } from '../../kit/panels.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { rollDice } from '../../faults/dice.ts'

/**
 * Days of results. On the first fourteen days every hour has the same number of results, so that all weights are equal. On the
 * last day the hours from 12:00 on have one result more.
 */
const days = 15
const agent = 'homes-whitebox'
const hours = Array.from({ length: 24 }, (_, hour) => hour)
const dice = rollDice(1)

const rows = Array.from({ length: days }, (_, day) =>
  hours.flatMap((hour) =>
    Array.from({ length: 1 + (day % 7) + (day === days - 1 && hour > 11 ? 1 : 0) }, (__, minute): FactRow => {
      const at = [hour, minute].map((part) => String(part).padStart(2, '0')).join(':')
      return { agent, dtime: `2026-01-${String(day + 1).padStart(2, '0')} ${at}:00.000` }
    }),
  ),
).flat()

let world: World
let secret: string
let api: string
beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  await panel(world, 'homes', 'acme', ['whitebox'])
  const draw = (most: number): number => dice.between(0, most)
  const measured = (columns: () => Record<string, unknown>) => rows.map((row) => ({ ...row, ...columns() }))
  await storeFacts(
    world,
    'httpget',
    measured(() => ({ bytes_sec: draw(125_000_000) })),
  )
  await storeFacts(
    world,
    'latency',
    measured(() => ({ rtt_avg: draw(90_000), successes: 1 + draw(1_000), failures: draw(70) })),
  )
  // Above 2^53 a whole number is not exact in floating point.
  await storeFacts(
    world,
    'network_usage',
    measured(() => ({ wan_rx_bytes: `92${draw(999_999_999)}${draw(9)}`, sk_rx_bytes: `-92233${draw(9_999_999)}` })),
  )
  secret = await token(world, 'acme')
  ;({ api } = (await world.serve()).addresses)
}, 120_000)
afterAll(() => world.close())

async function percentiles(metric: string, aggregation: string, normalised: boolean): Promise<unknown[]> {
  const answer = await call(`${api}/metric_data`, {
    method: 'POST',
    token: secret,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      metric,
      chartType: 'aggregate',
      aggregation,
      normalised,
      prefilter: false,
      time: { from: '2026-01-01 00:00', to: '2026-01-31 23:59:59' },
    }),
  })
  const [series] = answer.body['data'] as { metricData: { dtime: string; percentiles: unknown; median: unknown }[] }[]
  return (series?.metricData ?? []).map(({ dtime, median, percentiles: levels }) => ({ dtime, median, levels }))
}

it.each(['httpget', 'latency', 'packetLoss', 'wanDown'])(
  'percentiles of %s with equal weights are exactly those without normalisation',
  async (metric) => {
    for (const aggregation of ['daily', 'hourly']) {
      const normalised = await percentiles(metric, aggregation, true)
      const plain = await percentiles(metric, aggregation, false)
      const equal = aggregation === 'daily' ? days - 1 : days * 24
      expect(plain).toHaveLength(aggregation === 'daily' ? days : days * 24)
      expect(normalised.slice(0, equal)).toEqual(plain.slice(0, equal))
      if (aggregation === 'daily') expect(normalised.at(-1)).not.toEqual(plain.at(-1))
    }
  },
)
