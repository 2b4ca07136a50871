/**
 * Measures the cost per row while the number of rows grows to a hundred times that of the first panel: `npm run bench --
 * growth --rows <rows at the end>`. The first panel is synthetic. The other panels repeat its results with other agent
 * numbers, so that every row needs the same lookups. The bare statements run without the limits on time and memory that apply
 * to callers. Exact percentiles need eight bytes of memory per row; the bench measures them only while these values fit into
 * memory.
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

/** Runs the statement once without measuring it, then returns the median of the measured rounds. */
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
      // Print each result at once: if the last step fails, an hour of measurements must not be lost.
      console.log(JSON.stringify(row))
    }
  }
  report('growth', table)
} finally {
  await bench.close()
}
