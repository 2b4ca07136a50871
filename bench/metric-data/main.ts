/**
 * POST /metric_data against the engine with the very same statement, in the same run: `npm run bench -- metric-data --rows <rows>`.
 * And what metadata as of the measurement, local time and normalisation cost, against a plain statement without them.
 * Ratios are medians over rounds taken in turn. Processor time says more than the clock on a busy machine.
 */
import { median } from '../rig/median.ts'
import { memoryNow, memoryPeak, processorSeconds } from '../rig/processor-seconds.ts'
import { report } from '../rig/report.ts'
import { openMetricBench } from './bench.ts'
import { plainStatement } from './plain-statement.ts'
import { scenarios } from './scenarios.ts'

const wanted = Number(process.argv[2] ?? 2_000_000)
const rounds = Number(process.argv[3] ?? 5)

type Taken = { milliseconds: number; processors: number }

const bench = await openMetricBench(wanted)
console.log(`${bench.rows} rows`)

/** By the clock, and what the engine took of the processors. */
async function measure(work: () => Promise<unknown>): Promise<Taken> {
  const before = await processorSeconds(bench.enginePid)
  const startedAt = performance.now()
  await work()
  const milliseconds = performance.now() - startedAt
  return { milliseconds, processors: (await processorSeconds(bench.enginePid)) - before }
}

async function inTurn(works: readonly (() => Promise<unknown>)[]): Promise<Taken[][]> {
  for (const work of works) await work()
  const taken: Taken[][] = works.map(() => [])
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, work] of works.entries()) taken[index]?.push(await measure(work))
  }
  return taken
}

const ratio = (ours: Taken[] = [], bare: Taken[] = [], by: keyof Taken): string =>
  median(ours.map((one, index) => one[by] / (bare[index]?.[by] ?? Number.NaN))).toFixed(2)
const shown = (taken: Taken[] = []): string => median(taken.map(({ milliseconds }) => milliseconds)).toFixed(0)
const shownSeconds = (taken: Taken[] = []): string => median(taken.map(({ processors }) => processors)).toFixed(2)

try {
  const memoryBefore = await memoryNow(bench.servicePid)
  const all = scenarios(String(bench.firstDay), String(bench.lastDay))
  const overHttp: object[] = []
  for (const { name, body } of all) {
    const statement = await bench.compile(body)
    const [ours, bare] = await inTurn([() => bench.ask(body), () => bench.bare(statement)])
    overHttp.push({
      scenario: name,
      'ours, ms': shown(ours),
      'bare, ms': shown(bare),
      ratio: ratio(ours, bare, 'milliseconds'),
    })
  }
  report('metric-data', overHttp)

  const named = async (name: string) => bench.compile(all.find((one) => one.name === name)?.body)
  const plain = plainStatement(String(bench.firstDay), String(bench.lastDay))
  const [byIsp, normalised] = [await named('daily by ISP'), await named('daily by ISP, normalised')]
  const [bare, asOf, even] = await inTurn([plain, byIsp, normalised].map((one) => () => bench.bare(one)))
  report('metric-data-costs', [
    { what: 'plain: UTC days, no metadata', 'engine, s': shownSeconds(bare), ratio: '' },
    {
      what: 'as of, local time, by ISP / plain',
      'engine, s': shownSeconds(asOf),
      ratio: ratio(asOf, bare, 'processors'),
    },
    { what: 'the same, normalised / not', 'engine, s': shownSeconds(even), ratio: ratio(even, asOf, 'processors') },
  ])
  const memory = await memoryPeak(bench.servicePid)
  console.log(`memory of the service: ${memoryBefore.toFixed(0)} MB before, ${memory.toFixed(0)} MB at most`)
} finally {
  await bench.close()
}
