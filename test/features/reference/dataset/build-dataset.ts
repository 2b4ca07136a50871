import { rollDice, type Dice } from '../../../faults/dice.ts'
import { countedNumbers, type Agent, type Dataset, type Kind, type Result } from '../model/facts.ts'
import { dayMs } from '../model/local-time.ts'
import { isps, packages, panels, rollAgents } from './agents.ts'
import { oddly } from './chances.ts'
import { momentsOf } from './moments.ts'
import { networkUsage, traceroute } from './rows-of-lines.ts'
import { dns, jitter, latency, mobileLatency, ping } from './rows-of-packets.ts'
import { mobilePage, mobileYoutube, netflix, webget, youtube } from './rows-of-pages.ts'
import { mobileTransfer, transfer } from './rows-of-transfers.ts'
import type { RowsOf } from './rows.ts'
import { unusedColumns } from './unused-columns.ts'

const boxes: Kind[] = ['whitebox', 'cpe']
const boxesAndBrowsers: Kind[] = [...boxes, 'web']
const phones: Kind[] = ['mobile']

/** For each test: the total number of runs, the kinds of agents that run it, and its rows. */
const tests: Record<string, { runs: number; kinds: Kind[]; rows: RowsOf }> = {
  httpget: { runs: 34_000, kinds: boxesAndBrowsers, rows: transfer },
  httppost: { runs: 22_000, kinds: boxesAndBrowsers, rows: transfer },
  dns: { runs: 26_000, kinds: boxes, rows: dns },
  netflix: { runs: 8_000, kinds: boxes, rows: netflix },
  ping: { runs: 14_000, kinds: boxes, rows: ping },
  jitter: { runs: 22_000, kinds: boxes, rows: jitter },
  latency: { runs: 30_000, kinds: boxesAndBrowsers, rows: latency },
  webget: { runs: 12_000, kinds: boxes, rows: webget },
  youtube: { runs: 8_000, kinds: boxes, rows: youtube },
  network_usage: { runs: 9_000, kinds: boxes, rows: networkUsage },
  traceroute: { runs: 3_000, kinds: boxes, rows: traceroute },
  mobile_download: { runs: 9_000, kinds: phones, rows: mobileTransfer },
  mobile_latency: { runs: 9_000, kinds: phones, rows: mobileLatency },
  mobile_upload: { runs: 6_000, kinds: phones, rows: mobileTransfer },
  mobile_www: { runs: 5_000, kinds: phones, rows: mobilePage },
  mobile_youtube: { runs: 5_000, kinds: phones, rows: mobileYoutube },
}

/** More than 200,000 results of all tests. The same seed gives the same results on every day. */
export function buildDataset(seed: number): Dataset {
  const dice = rollDice(seed)
  const agents = rollAgents(dice)
  const odd = oddAgents(agents)
  const results = new Map(
    Object.entries(tests).map(([test, { runs, kinds, rows }]) => {
      const able = agents.filter(({ kind }) => kinds.includes(kind))
      return [
        test,
        able.flatMap((agent, index) =>
          resultsOf(dice, agent, odd, test, rows, runsOf(dice, runs / able.length, index)),
        ),
      ]
    }),
  )
  const lists = { panels, isps, packages, agents }
  return { ...lists, results, numbers: countedNumbers(lists) }
}

/**
 * How often an agent runs a test. A few agents run it once. The other agents run it more or less often than the mean.
 */
const runsOf = (dice: Dice, mean: number, index: number): number =>
  index % 12 === 5 ? 1 : Math.round((mean * dice.between(40, 180)) / 100)

type OddAgents = { giants: Agent[]; movers: Agent[] }

function oddAgents(agents: readonly Agent[]): OddAgents {
  const of = (panel: string, kind: Kind): Agent[] => agents.filter((one) => one.panel === panel && one.kind === kind)
  return {
    giants: ['north', 'partner', 'foreign'].flatMap((panel) => of(panel, 'whitebox').slice(1, 2)),
    movers: [...of('north', 'whitebox').slice(6, 9), ...of('north', 'mobile').slice(2, 3)],
  }
}

function resultsOf(
  dice: Dice,
  agent: Agent,
  { giants, movers }: OddAgents,
  test: string,
  rows: RowsOf,
  runs: number,
): Result[] {
  return momentsOf(dice, agent, runs).flatMap((endedAt) => {
    const giant = giants.includes(agent) && endedAt > giantFrom && endedAt < giantTo
    // A result stays in the panel in which the agent was at the time of the measurement. Later the agent moved to
    // another panel of its owner.
    const panel = movers.includes(agent) && endedAt < movedAt ? 'south' : agent.panel
    const occasion = { dice, agent, endedAt, giant }
    const storedAt = endedAt + delayOf(dice)
    return rows(occasion).map((row, index) => ({
      panel,
      agent,
      endedAt,
      storedAt,
      row: { ...unusedColumns(test, occasion, index), ...row },
    }))
  })
}

/** How long after the test its result was stored, in milliseconds. The clock of a few agents is ahead. */
const delayOf = (dice: Dice): number =>
  oddly(dice, 10, [dayMs - 1, dayMs, dayMs + 1, dice.between(dayMs, 40 * dayMs), -300_000], dice.between(0, 7_200_000))

/** The start of a month in which a few agents report only values near 1e9. */
const giantFrom = Date.parse('2020-10-20')
const giantTo = Date.parse('2020-11-20')
const movedAt = Date.parse('2020-07-15')
