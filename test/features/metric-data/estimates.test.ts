import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newMeter } from '../../../src/base/audit.ts'
import { statement } from '../../../src/base/sql.ts'
import { catalog } from '../../../src/catalog/catalog.ts'
import { pointStatement } from '../../../src/compile/metric/aggregate.ts'
import { rollupTerms } from '../../../src/compile/rollup/rollup-terms.ts'
import { findPoints } from '../../../src/engine/clickhouse/query/find-points.ts'
import { readOrganisation } from '../../../src/engine/postgres/operator/organisations.ts'
import type { Stores } from '../../../src/engine/stores.ts'
import { estimateMetricQuery } from '../../../src/execute/estimate-query.ts'
import { planMetricRequest } from '../../../src/execute/plan-metric-request.ts'
import { QueryCosts } from '../../../src/execute/query-costs.ts'
import { readSettings } from '../../../src/serve/config.ts'
import { closeStores, openStores } from '../../../src/serve/wiring/open-stores.ts'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { rollDice } from '../../faults/dice.ts'
import { call } from '../../kit/call.ts'
import { organisation, panel, token } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { synthPanel } from '../../kit/synth-panel.ts'
import { openWorld, type World } from '../../kit/world.ts'

const requests = process.env['BROADGAUGE_TEST_DEEP'] === '1' ? 1_000 : 25
const seed = 20_261_119

let world: World
let service: Service
let authorization: string
let stores: Stores
beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  await organisation(world, 'other')
  await panel(world, 'theirs', 'other', ['whitebox'])
  await synthPanel(world, { agents: 60, days: 20, owner: 'acme', tests: ['httpget', 'latency'], until: '2026-03-20' })
  authorization = await token(world, 'acme')
  service = await world.serve()
  stores = openStores(readSettings(world.environment), () => {})
}, 120_000)
afterAll(async () => {
  await closeStores(stores)
  await world.close()
})

const daily = {
  metric: 'latency',
  chartType: 'aggregate',
  aggregation: 'daily',
  normalised: false,
  prefilter: true,
  time: { from: '2026-03-01', to: '2026-03-20' },
}

const ask = (path: string, body: unknown) =>
  call(`${service.addresses.api}${path}`, {
    method: 'POST',
    token: authorization,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

async function estimated(path: string, body: unknown): Promise<Record<string, unknown>> {
  const answer = await ask(path, body)
  expect(answer.body).toMatchObject({ code: 'OK' })
  return answer.body['data'] as Record<string, unknown>
}

describe('an estimate', () => {
  it('knows the number of periods and of values of the splits', async () => {
    const { pointsAtMost } = await estimated('/metric_data/estimate', { ...daily, splits: ['isp'] })
    const answer = await ask('/metric_data', { ...daily, splits: ['isp'] })
    const series = answer.body['data'] as { metricData: unknown[] }[]
    const points = series.reduce((sum, { metricData }) => sum + metricData.length, 0)
    expect(points).toBeGreaterThan(20)
    expect(pointsAtMost).toBeGreaterThanOrEqual(points)
    expect(Number(pointsAtMost) % 20).toBe(0)
    const one = { id: 'isp', filterType: 'include', filterValues: ['Acme Broadband'] }
    expect(await estimated('/metric_data/estimate', { ...daily, splits: ['isp'], filters: [one] })).toMatchObject({
      pointsAtMost: 20,
    })
  })

  it('has no points for a stream, and is the same for the export', async () => {
    const raw = await estimated('/metric_data/estimate', { ...daily, chartType: 'raw' })
    expect(raw).toMatchObject({ pointsAtMost: null, from: 'results', fits: true })
    const file = await estimated('/metric_data/estimate', { ...daily, chartType: 'raw', format: 'parquet' })
    expect(file['rows']).toBe(raw['rows'])
    const records = { test: 'latency', date: { from: '2026-03-01', to: '2026-03-20' } }
    const test = await estimated('/test_data/estimate', records)
    expect(test['rows']).toBeGreaterThan(1_000)
    expect(test['bytes']).toBeGreaterThan(Number(test['rows']) * 16)
  })

  it('reads nothing where there are no results', async () => {
    const time = { from: '2020-01-01', to: '2020-01-31' }
    expect(await estimated('/metric_data/estimate', { ...daily, time })).toMatchObject({ rows: 0, bytes: 0 })
  })

  it('is refused like the request itself', async () => {
    for (const [path, body] of [
      ['/metric_data', { ...daily, panel: 'theirs' }],
      ['/metric_data', { ...daily, panel: 'nobodys' }],
      ['/metric_data', { ...daily, metric: 'speed', splits: ['isp', 'isp'] }],
      ['/test_data', { test: 'latency', date: { from: 'now', to: 'yesterday' } }],
    ] as const) {
      const [estimate, answer] = [await ask(`${path}/estimate`, body), await ask(path, body)]
      expect(estimate.status).toBe(422)
      expect(estimate.body).toEqual(answer.body)
    }
  })

  it('is refused like the export', async () => {
    const perAgent = { statistic: 'mean' }
    for (const asked of [
      { perAgent, reaching: { atLeast: 5 } },
      { perAgent, include: ['uncertainty'] },
      { compare: { filters: [] } },
    ]) {
      const body = { ...daily, ...asked, format: 'csv' }
      const [estimate, answer] = [await ask('/metric_data/estimate', body), await ask('/metric_data_download', body)]
      expect(estimate.status).toBe(422)
      expect(estimate.body).toEqual(answer.body)
    }
  })

  it('leaves no record in the audit trail', async () => {
    const count = () => runSql(world.superuserUrl, 'SELECT count(*) FROM audited_queries')
    const before = await count()
    await estimated('/metric_data/estimate', daily)
    expect(await count()).toEqual(before)
    await ask('/metric_data', daily)
    expect(await count()).not.toEqual(before)
  })
})

describe(`for ${requests} random requests, seed ${seed}`, () => {
  const dice = rollDice(seed)
  const context = () => ({
    stores,
    catalog,
    rollups: rollupTerms(catalog, new Map()),
    costs: new QueryCosts(),
    now: () => Temporal.Now.instant(),
  })

  const randomRequest = (): Record<string, unknown> => {
    const from = dice.between(1, 20)
    const day = (number: number) => `2026-03-${String(number).padStart(2, '0')}`
    return {
      ...daily,
      metric: dice.pick(['httpget', 'latency', 'packetLoss', 'httppost_retrans']),
      aggregation: dice.pick(['hourly', 'daily', 'weekly', 'hour_of_day', 'total']),
      normalised: dice.pick([true, false, false]),
      prefilter: dice.pick([true, false]),
      percentiles: dice.pick(['exact', 'none', 'sketch']),
      splits: dice.pick([[], ['isp'], ['package', 'target'], ['agent']]),
      filters: dice.pick([true, false, false])
        ? [{ id: 'isp', filterType: dice.pick(['include', 'exclude']), filterValues: ['Acme Broadband'] }]
        : [],
      time: { from: day(from), to: day(dice.between(from, 20)) },
    }
  }

  it('ClickHouse reads what was estimated, in the estimated time', async () => {
    const shared = context()
    const { id } = await world.operate((operator) => readOrganisation(operator, 'acme'))
    const scope = { organisationId: id }
    const misses: unknown[] = []
    let [inTime, timed] = [0, 0]
    for (let index = 0; index < requests; index += 1) {
      const request = randomRequest()
      const plan = await planMetricRequest(scope, stores, catalog, request, Temporal.Now.instant())
      const origin = {
        endpoint: 'test',
        requestId: 'test',
        panels: plan.panels,
        meter: newMeter(),
        signal: AbortSignal.timeout(60_000),
      }
      const estimate = await estimateMetricQuery(scope, shared, plan, 'response', origin)
      if (plan.aggregation === null) throw new Error('the request is not for aggregated points')
      const points = pointStatement(stores.clickhouse.database, plan, plan.aggregation, null)
      const answer = await findPoints(scope, stores.clickhouse, statement(points.query), origin)
      const { rowsRead, engineMs } = origin.meter
      const rows = rowsRead ?? 0
      if (rows > estimate.rows || rows < 0.8 * (estimate.rows - 8_192) || answer.length > Number(estimate.pointsAtMost))
        misses.push({ request, estimate, rows, points: answer.length })
      timed += 1
      if (engineMs / 1000 >= estimate.seconds[0] && engineMs / 1000 <= estimate.seconds[1]) inTime += 1
      shared.costs.record(plan, origin.meter)
    }
    console.log(`in the estimated time: ${inTime} of ${timed}`)
    expect(misses).toEqual([])
  }, 600_000)
})
