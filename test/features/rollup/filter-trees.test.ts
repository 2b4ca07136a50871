import { afterAll, beforeAll, expect, it } from 'vitest'
import { rollDice, type Dice } from '../../faults/dice.ts'
import type { MetricService } from '../reference/metric-service.ts'
import type { Data, MetricRequest } from '../reference/model/request.ts'
import { openRolledService } from './rolled-service.ts'

const deep = process.env['BROADGAUGE_TEST_DEEP'] === '1'
const count = deep ? 300 : 25

let service: MetricService
beforeAll(async () => {
  service = await openRolledService(1)
}, 300_000)
afterAll(() => service?.close())

const rolledLeaf = (dice: Dice, metric: string): object => {
  const texts: [string, readonly string[]][] = [
    ['isp', ['Acme', 'acme', 'Bee', 'e']],
    ['package', ['Acme:', '1', '0']],
    ['country', ['G', 'GB', 'U']],
    ['base', ['m', '-', '1']],
    ['target', ['.', '1', 'a']],
    ...(metric === 'httpget' ? [['ip_version', ['4', '6']] as [string, readonly string[]]] : []),
  ]
  const [id, values] = dice.pick(texts)
  const some = Array.from({ length: dice.between(1, 2) }, () => dice.pick(values))
  const listed = ['include', 'exclude', 'contains', 'starts_with', 'ends_with']
  const types = [...listed, 'matches', 'is_set', 'is_missing', ...(id === 'ip_version' ? ['above', 'at_most'] : [])]
  const filterType = dice.pick(types)
  if (filterType.startsWith('is_')) return { id, filterType }
  if (!listed.includes(filterType) && filterType !== 'matches') return { id, filterType, filterValues: [4] }
  return { id, filterType, filterValues: some }
}

/** Some leaves are by dimensions that rollups do not have. */
const otherLeaf = (dice: Dice): object =>
  dice.pick([
    { id: 'unit', filterType: 'is_set' },
    { id: 'agent', filterType: 'contains', filterValues: ['1'] },
    { id: 'hour_of_day', filterType: 'matches', filterValues: ['^1'] },
  ])

function rollTree(dice: Dice, metric: string, depth = 1): object {
  const form = depth > 3 ? 0 : dice.between(0, 4)
  if (form <= 1) return dice.between(0, 9) === 0 ? otherLeaf(dice) : rolledLeaf(dice, metric)
  if (form === 2) return { not: rollTree(dice, metric, depth + 1) }
  const of = [rollTree(dice, metric, depth + 1), rollTree(dice, metric, depth + 1)]
  return form === 3 ? { all: of } : { any: of }
}

const shownOf = (data: Data): unknown =>
  data.map(({ metricData }) =>
    metricData.map(({ sampleCount, agentCount, metricValue, min, max, dtime }) => ({
      sampleCount,
      agentCount,
      min,
      max,
      dtime,
      metricValue: Number(metricValue).toPrecision(10),
    })),
  )

it(`gives the same points from rollups and from results for ${count} random groups of filters`, async () => {
  const dice = rollDice(35)
  let isDifferent = 0
  const sizes = new Set<string>()
  for (let index = 0; index < count; index += 1) {
    const metric = dice.pick(['httpget', 'packetLoss'])
    const request = {
      metric,
      chartType: 'aggregate',
      aggregation: dice.pick(['daily', 'total', 'weekly']),
      normalised: dice.between(0, 1) === 1,
      prefilter: true,
      intervals: 'results',
      time: { from: '2020-03-15 00:00', to: '2020-04-25 00:00' },
      filters: [rollTree(dice, metric)],
    }
    const ask = (percentiles: string) => service.ask('acme', { ...request, percentiles } as unknown as MetricRequest)
    const [rolled, results] = [await ask('none'), await ask('exact')]
    expect(shownOf(rolled), JSON.stringify(request)).toEqual(shownOf(results))
    sizes.add(JSON.stringify(shownOf(rolled)))
    isDifferent += Number(rolled.some(({ metricData }) => metricData.length > 0))
  }
  expect(isDifferent).toBeGreaterThan(count / 4)
  expect(sizes.size).toBeGreaterThan(count / 4)
}, 3_600_000)

it('reads rollups for groups by their dimensions, and results for other groups', async () => {
  const { world } = service
  const samples = async (filters: object[]) => {
    const request = {
      metric: 'httpget',
      chartType: 'aggregate',
      aggregation: 'total',
      normalised: false,
      prefilter: false,
      intervals: 'results',
      percentiles: 'none',
      time: { from: '2020-03-15 00:00', to: '2020-04-25 00:00' },
      filters,
    }
    const [series] = await service.ask('acme', request as unknown as MetricRequest)
    return Number(series?.metricData[0]?.['sampleCount'])
  }
  const before = await samples([])
  const { nodes, database, cluster } = world.engine('ADMIN')
  for (const node of nodes)
    await node.command({
      query: `ALTER TABLE ${database}.metric_rollup${cluster === null ? '' : '_shard'} UPDATE results = results * 2
              WHERE 1 SETTINGS mutations_sync = 2`,
    })
  const all = (id: string) => ({ any: [{ id, filterType: 'is_set' }, { not: { id, filterType: 'is_set' } }] })
  for (const id of ['isp', 'package', 'country', 'ip_version', 'target'])
    expect(await samples([all(id)]), id).toBeGreaterThan(before * 1.5)
  for (const id of ['agent', 'unit', 'hour_of_day', 'peak'])
    expect(await samples([{ any: [all('isp'), all(id)] }]), id).toBe(before)
})
