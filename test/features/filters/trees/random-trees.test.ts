import { afterAll, beforeAll, expect, it } from 'vitest'
import { newSeed, rollDice, type Dice } from '../../../faults/dice.ts'
import { isKept, type Tree } from './evaluate.ts'
import { rollTree } from './roll-trees.ts'
import { openTreeWorld, type TreeWorld } from './tree-world.ts'

const deep = process.env['BROADGAUGE_TEST_DEEP'] === '1'
const seed = deep ? newSeed() : 35
const count = Number(process.env['BROADGAUGE_TEST_REQUESTS'] ?? (deep ? 1_000 : 60))
const dice = rollDice(seed)

let opened: TreeWorld
let ids: string[]

beforeAll(async () => {
  opened = await openTreeWorld(dice, 600)
  ids = Object.keys(opened.rows[0]?.values ?? {})
}, 120_000)
afterAll(() => opened?.close())

const isOfClock = (id: string) => ['hour_of_day', 'day_of_week', 'peak'].includes(id)

const metric = {
  metric: 'httpget',
  chartType: 'raw',
  normalised: false,
  prefilter: false,
  time: { from: '2026-02-01', to: '2026-04-01' },
}

/** The numbers of the results that the service keeps, in ascending order. */
async function keptBy(filters: readonly Tree[], from: 'metric_data' | 'test_data'): Promise<number[]> {
  const records = { test: 'httpget', date: { from: '2026-02', to: '2026-04' } }
  const { status, body } = await opened.post(`/${from}`, { ...(from === 'metric_data' ? metric : records), filters })
  expect(status, JSON.stringify([body, filters])).toBe(200)
  const numbers =
    from === 'metric_data'
      ? (body['data'] as { metricData: { metricValue: number }[] }[])
          .flatMap(({ metricData }) => metricData)
          .map(({ metricValue }) => metricValue)
      : (body['data'] as { bytes_sec: number }[]).map((one) => one.bytes_sec / 125_000)
  return numbers.toSorted((one, other) => one - other)
}

async function inTurns<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = items.values()
  const turns = Array.from({ length: 4 }, async () => {
    for (const item of waiting) await work(item)
  })
  await Promise.all(turns)
}

const rollTrees = (own: Dice, number: number, from = ids): Tree[][] =>
  Array.from({ length: number }, () =>
    Array.from({ length: own.between(1, 3) }, () => rollTree(own, opened.rows, from)),
  )

it.each(['metric_data', 'test_data'] as const)(
  `${count} random filters of %s keep the results that a plain evaluation keeps`,
  { timeout: 3_600_000 },
  async (from) => {
    const differences: string[] = []
    const sizes = new Set<number>()
    const usable = from === 'metric_data' ? ids : ids.filter((id) => !isOfClock(id))
    await inTurns(rollTrees(dice.fork(from.length), count, usable), async (filters) => {
      const expected = opened.rows.filter((row) => filters.every((one) => isKept(row, one))).map(({ number }) => number)
      const kept = await keptBy(filters, from)
      sizes.add(kept.length)
      if (kept.join() !== expected.join()) {
        differences.push(`${JSON.stringify(filters)}: kept ${kept.length}, expected ${expected.length}`)
      }
    })
    expect(differences, `seed ${seed}`).toEqual([])
    // The filters must keep different parts of the results.
    expect(sizes.size).toBeGreaterThan(count / 4)
  },
)

const pairs = deep ? 100 : 5

it('keeps the same results with any of single values as with a list', { timeout: 600_000 }, async () => {
  const own = dice.fork(1)
  const asked = Array.from({ length: pairs }, () => {
    const id = own.pick(ids)
    const values = Array.from({ length: 3 }, () => String(own.pick(opened.rows).values[id] ?? 'x'))
    return { id, filterType: own.pick(['include', 'contains', 'starts_with', 'ends_with']), filterValues: values }
  })
  await inTurns(asked, async (leaf) => {
    const single = { any: leaf.filterValues.map((value) => ({ ...leaf, filterValues: [value] })) }
    expect(await keptBy([single], 'metric_data'), JSON.stringify(leaf)).toEqual(await keptBy([leaf], 'metric_data'))
  })
})

it('keeps the same results with not of not as with the filter', { timeout: 600_000 }, async () => {
  await inTurns(rollTrees(dice.fork(2), pairs), async ([tree]) => {
    if (tree === undefined || depthOf(tree) > 3) return
    expect(await keptBy([{ not: { not: tree } }], 'metric_data')).toEqual(await keptBy([tree], 'metric_data'))
  })
})

it('follows De Morgan, also where values are missing', { timeout: 600_000 }, async () => {
  const own = dice.fork(3)
  const leaf = () => rollTree(own, opened.rows, ids, 1)
  const asked = Array.from({ length: pairs }, () => [leaf(), leaf(), leaf()])
  await inTurns(asked, async (trees) => {
    const negated = trees.map((not) => ({ not }))
    const said = JSON.stringify(trees)
    expect(await keptBy([{ not: { any: trees } }], 'metric_data'), said).toEqual(await keptBy(negated, 'metric_data'))
    expect(await keptBy([{ not: { all: trees } }], 'metric_data'), said).toEqual(
      await keptBy([{ any: negated }], 'metric_data'),
    )
  })
})

function depthOf(tree: Tree): number {
  if ('any' in tree) return 1 + Math.max(...tree.any.map(depthOf))
  if ('all' in tree) return 1 + Math.max(...tree.all.map(depthOf))
  return 'not' in tree ? 1 + depthOf(tree.not) : 0
}
