/**
 * Compares POST /metric_data with ClickHouse running the same statement, in the same run: `npm run bench -- metric-data --rows
 * <rows>`. It also measures the cost of three features: metadata as of the measurement, local time and normalisation. For this
 * it compares with a plain statement that has none of them. Ratios are medians over alternating rounds. On a busy machine, CPU
 * time is more reliable than elapsed time.
 */
import { inTurn, medianOf, ratioOf } from '../rig/in-turn.ts'
import { memoryNow, memoryPeak } from '../rig/processor-seconds.ts'
import { report } from '../rig/report.ts'
import { openMetricBench } from './bench.ts'
import { plainStatement } from './plain-statement.ts'
import { scenarios } from './scenarios.ts'

const wanted = Number(process.argv[2] ?? 2_000_000)
const rounds = Number(process.argv[3] ?? 5)
const smallest = 'one agent, one day'

const bench = await openMetricBench(wanted)
console.log(`${bench.rows} rows`)

try {
  const memoryBefore = await memoryNow(bench.servicePid)
  const all = scenarios(String(bench.firstDay), String(bench.lastDay))
  const overHttp: object[] = []
  for (const { name, body } of all) {
    const statement = await bench.compile(body)
    const refusal = await bench.ask(body).then(
      () => null,
      (error: unknown) => String(error),
    )
    if (refusal !== null) {
      overHttp.push({ scenario: name, ratio: `refused by the limits of the engine: ${refusal.slice(0, 100)}` })
      continue
    }
    // A small query takes only a few milliseconds, so it needs many rounds and a warm service.
    const often = name === smallest ? 20 * rounds : rounds
    const [ours, bare] = await inTurn(bench, often, [() => bench.ask(body), () => bench.bare(statement)])
    overHttp.push({
      scenario: name,
      'ours, ms': medianOf(ours, 'milliseconds').toFixed(0),
      'bare, ms': medianOf(bare, 'milliseconds').toFixed(0),
      'added, ms': (medianOf(ours, 'milliseconds') - medianOf(bare, 'milliseconds')).toFixed(1),
      ratio: ratioOf(ours, bare, 'milliseconds').toFixed(2),
      'engine, processor s': medianOf(ours, 'processors').toFixed(2),
      'MB read': (medianOf(ours, 'bytes') / 1e6).toFixed(1),
    })
  }
  report('metric-data', overHttp)

  const named = async (name: string) => bench.compile(all.find((one) => one.name === name)?.body)
  const plain = plainStatement(String(bench.firstDay), String(bench.lastDay))
  const [byIsp, normalised] = [await named('daily by ISP'), await named('daily by ISP, normalised')]
  // Run without limits: the bench measures the cost of the statements, even if it exceeds the limits of a caller.
  const statements = [plain, byIsp, normalised].map((one) => () => bench.unlimited(one))
  const [bare, asOf, even] = await inTurn(bench, rounds, statements)
  report('metric-data-costs', [
    {
      what: 'plain: UTC days, no metadata',
      'engine, processor s': medianOf(bare, 'processors').toFixed(2),
      ratio: '',
    },
    {
      what: 'as of, local time, by ISP / plain',
      'engine, processor s': medianOf(asOf, 'processors').toFixed(2),
      ratio: ratioOf(asOf, bare, 'processors').toFixed(2),
    },
    {
      what: 'the same, normalised / not',
      'engine, processor s': medianOf(even, 'processors').toFixed(2),
      ratio: ratioOf(even, asOf, 'processors').toFixed(2),
    },
  ])
  const memory = await memoryPeak(bench.servicePid)
  console.log(`memory of the service: ${memoryBefore.toFixed(0)} MB before, ${memory.toFixed(0)} MB at most`)
} finally {
  await bench.close()
}
