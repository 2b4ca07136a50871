/**
 * Runs the same queries on the same panel with 1, 2 and 4 ClickHouse nodes: `npm run bench -- shards --rows <rows>`. The
 * responses must be byte-identical, and each node must read its part of the rows. All nodes share one machine here, so elapsed
 * time does not show a speed-up. The bench measures how evenly the rows are divided, and how many rows and how much CPU time
 * the division adds.
 */
import { createHash } from 'node:crypto'
import { openMetricBench } from '../metric-data/bench.ts'
import { scenarios } from '../metric-data/scenarios.ts'
import { workBetween, type EngineWork } from '../rig/engine-work.ts'
import { median } from '../rig/median.ts'
import { report } from '../rig/report.ts'

const wanted = Number(process.argv[2] ?? 1_000_000)
const rounds = 3

type Taken = {
  readonly scenario: string
  readonly answer: string
  readonly work: EngineWork[]
  readonly seconds: number
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)

/**
 * The number of rows that each node itself has read. The coordinator also counts the rows that it received from other nodes,
 * so this function subtracts them.
 */
function rowsOf(work: readonly EngineWork[]): number[] {
  const counted = work.map(({ rows }) => rows).toSorted((one, other) => other - one)
  const [asked = 0, ...others] = counted
  return [asked - sum(others), ...others]
}

async function onShards(shards: number): Promise<Taken[]> {
  const bench = await openMetricBench(wanted, { shards })
  try {
    const taken: Taken[] = []
    for (const { name, body } of scenarios(String(bench.firstDay), String(bench.lastDay))) {
      const answer = createHash('sha256')
        .update(await bench.ask(body))
        .digest('hex')
      const works: EngineWork[][] = []
      for (let round = 0; round < rounds; round += 1) {
        const before = await bench.work()
        await bench.ask(body)
        works.push(workBetween(before, await bench.work()))
      }
      const seconds = median(works.map((work) => sum(work.map(({ processorSeconds }) => processorSeconds))))
      taken.push({ scenario: name, answer, work: works[0] ?? [], seconds })
    }
    return taken
  } finally {
    await bench.close()
  }
}

const table: object[] = []
const alone = await onShards(1)
for (const shards of [2, 4]) {
  for (const [index, taken] of (await onShards(shards)).entries()) {
    const one = alone[index]
    if (taken.answer !== one?.answer) {
      process.exitCode = 1
      console.error(`${taken.scenario}: ${shards} nodes answer otherwise than one`)
    }
    const rows = rowsOf(taken.work)
    table.push({
      scenario: taken.scenario,
      shards,
      'answer as of one node': taken.answer === one?.answer,
      'rows of the busiest node × shards / rows of one node': (
        (Math.max(...rows) * shards) /
        sum(rowsOf(one?.work ?? []))
      ).toFixed(2),
      'processor seconds of all / of one node': (taken.seconds / (one?.seconds ?? Number.NaN)).toFixed(2),
    })
  }
}
report('shards', table)
