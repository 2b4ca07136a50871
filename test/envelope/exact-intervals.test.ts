import { expect, it } from 'vitest'
import { withExactIntervals } from '../../src/envelope/exact-intervals.ts'
import { percentileKeys } from '../../src/compile/metric/distribution/percentile-levels.ts'
import { binomialQuantile } from '../../src/envelope/binomial.ts'
import { rollDice } from '../faults/dice.ts'

const keys = percentileKeys({})

it('changes nothing in points that need no exact intervals', async () => {
  const points = { columns: ['dtime', 'metricValue'], rows: [['2026-01-01', 1]] }
  expect(await withExactIntervals(points)).toEqual(points)
})

async function reaching(agents: number, count: number): Promise<unknown[]> {
  const columns = ['dtime', 'reachingAgents', 'exactAgents', 'agentsBelowMinimum']
  return (await withExactIntervals({ columns, rows: [['2026-01-01', count, agents, 7]] })).rows.flat()
}

it('puts the share and its bounds before the number of agents, and keeps the other columns', async () => {
  const { columns } = await withExactIntervals({
    columns: ['dtime', 'reachingAgents', 'exactAgents', 'more'],
    rows: [],
  })
  expect(columns).toEqual(['dtime', 'reachingShare', 'reachingLow', 'reachingHigh', 'reachingAgents', 'more'])
  expect(await reaching(2, 1)).toEqual([
    '2026-01-01',
    50,
    expect.closeTo(1.25791, 5),
    expect.closeTo(98.74209, 5),
    1,
    7,
  ])
})

it('has bounds of 0 and 100 % at the ends, and none without agents', async () => {
  expect(await reaching(1, 1)).toEqual(['2026-01-01', 100, expect.closeTo(2.5, 10), 100, 1, 7])
  expect(await reaching(1, 0)).toEqual(['2026-01-01', 0, 0, expect.closeTo(97.5, 10), 0, 7])
  expect(await reaching(0, 0)).toEqual(['2026-01-01', null, null, null, 0, 7])
})

/** The columns of a point with the values 1, 2, … of so many agents, as the statement returns them. */
async function intervalsOf(agents: number, firstRank = (rank: number) => Math.max(rank - 1, 1)): Promise<unknown> {
  const ranks = [0.025, 0.975].flatMap((share, side) =>
    keys.map((key) => firstRank(binomialQuantile(share, agents, Number(key) / 100) + side)),
  )
  const values = ranks.map((rank) => [rank, ...[0, 1, 2].map((more) => rank + more).filter((value) => value <= agents)])
  const found = await withExactIntervals({ columns: ['exactValues', 'exactAgents'], rows: [[values, agents]] })
  return found.rows[0]?.[0]
}

it('takes the bounds of a percentile at the exact ranks, and null where no agent has the rank', async () => {
  const at = async (agents: number, key: string) => ((await intervalsOf(agents)) as unknown[])[keys.indexOf(key)]
  expect(await at(16, '20')).toEqual([null, 8])
  expect(await at(17, '20')).toEqual([1, 8])
  expect(await at(100, '50')).toEqual([40, 61])
  expect(await at(100, '99')).toEqual([97, null])
})

it('has no interval for one agent, and none at all without agents', async () => {
  expect(await intervalsOf(1)).toEqual(keys.map(() => [null, null]))
  expect(await intervalsOf(0)).toEqual([])
})

it('fails instead of taking another rank', async () => {
  await expect(intervalsOf(100, (rank) => rank + 1)).rejects.toThrow('do not contain rank')
})

it('covers the true value in at least 95 % of simulated panels', async () => {
  const dice = rollDice(33)
  const uniform = (): number => dice.between(0, 999_999_999) / 1e9
  const panels = 2_000
  for (const agents of [17, 60]) {
    const ranks = (await intervalsOf(agents)) as (number | null)[][]
    const [lowRank, highRank] = ranks[keys.indexOf('20')] ?? []
    let [ofShare, ofPercentile] = [0, 0]
    for (let panel = 0; panel < panels; panel += 1) {
      // Each agent has a value that is uniform between 0 and 1: the true percentile 20 is 0.2, and 20 % are below 0.2.
      const values = Array.from({ length: agents }, uniform).toSorted((one, other) => one - other)
      const below20 = values.filter((value) => value < 0.2).length
      const [, , low = NaN, high = NaN] = (await reaching(agents, below20)) as number[]
      if (low <= 20 && high >= 20) ofShare += 1
      const below = lowRank === null || (values[(lowRank ?? 0) - 1] ?? NaN) <= 0.2
      if (below && (highRank === null || (values[(highRank ?? 0) - 1] ?? NaN) >= 0.2)) ofPercentile += 1
    }
    // Four standard errors of a share of 95 % in so many panels.
    const leastShare = 0.95 - 4 * Math.sqrt((0.95 * 0.05) / panels)
    expect(ofShare / panels).toBeGreaterThanOrEqual(leastShare)
    expect(ofPercentile / panels).toBeGreaterThanOrEqual(leastShare)
  }
})
