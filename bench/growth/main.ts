/**
 * What a row costs as the panels grow to a hundred times the first one: `npm run bench -- growth --rows <rows in the end>`.
 * The first panel is synthetic, the others hold its results once more under numbers of their own, so that every row takes
 * the same look-ups. Callers' limits on time and memory are lifted for the engine's own statements: said here, and nowhere
 * else. Exact percentiles hold every value in memory: eight bytes a row, measured as long as that fits.
 */
import type { Statement } from '../../src/base/sql.ts'
import { openMetricBench } from '../metric-data/bench.ts'
import { scenarios } from '../metric-data/scenarios.ts'
import { workBetween, type EngineWork } from '../rig/engine-work.ts'
import { median } from '../rig/median.ts'
import { memoryNow } from '../rig/processor-seconds.ts'
import { report } from '../rig/report.ts'

const wanted = Number(process.argv[2] ?? 20_000_000)
const rounds = 3
const rowsWithPercentilesMax = 150_000_000
const measured = ['daily by ISP, no percentiles', 'daily by ISP', 'total by country, three ISPs left out']

/** Once unmeasured, then the middle of the rounds. */
async function measure(statement: Statement) {
  await bench.unlimited(statement)
  const seconds: number[] = []
  const works: EngineWork[] = []
  for (let round = 0; round < rounds; round += 1) {
    const before = await bench.work()
    const startedAt = performance.now()
    await bench.unlimited(statement)
    seconds.push((performance.now() - startedAt) / 1000)
    works.push(...workBetween(before, await bench.work()))
  }
  return {
    seconds: median(seconds),
    processorSeconds: median(works.map(({ processorSeconds }) => processorSeconds)),
    rows: median(works.map(({ rows }) => rows)),
  }
}

const bench = await openMetricBench(wanted / 100)
const table: object[] = []
const first = new Map<string, number>()
try {
  for (const panels of [1, 10, 100]) {
    await bench.alone(() => bench.copyUntil(panels))
    const rows = bench.rows * panels
    for (const { name, body } of scenarios(String(bench.firstDay), String(bench.lastDay))) {
      const withPercentiles = body['percentiles'] !== 'none'
      if (!measured.includes(name) || (withPercentiles && rows > rowsWithPercentilesMax)) continue
      const statement = await bench.compile(body)
      const taken = await bench.alone(() => bench.unmerged(() => measure(statement)))
      if (taken.rows < rows) throw new Error(`${taken.rows} rows were read, ${rows} are there`)
      const each = (taken.processorSeconds / rows) * 1e9
      if (!first.has(name)) first.set(name, each)
      const answered = await bench.ask(body).then(
        () => 'yes',
        (error: unknown) => String(error).slice(0, 60),
      )
      const row = {
        scenario: name,
        rows,
        'engine, s': taken.seconds.toFixed(2),
        'processor, ns a row': each.toFixed(0),
        'of the first size': (each / (first.get(name) ?? Number.NaN)).toFixed(2),
        'answered within limits': answered,
        'service, MB': (await memoryNow(bench.servicePid)).toFixed(0),
      }
      table.push(row)
      // An hour's work is not to be lost with its last step.
      console.log(JSON.stringify(row))
    }
  }
  report('growth', table)
} finally {
  await bench.close()
}
