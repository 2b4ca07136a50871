/**
 * Measures what the statistics of a point cost: `npm run bench -- point-statistics --rows 25M`. Each row compares two requests
 * in alternating rounds: intervals by agents with intervals by results, an explained prefilter with one that is only applied, an
 * answer with its coverage with one without, an answer with some fields with one that has all, hours of the peak with all
 * hours, percentiles of each agent with those of all results, a comparison of two periods with the statistics of both, and two
 * metrics of one test with one of them.
 * ClickHouse runs the statements directly and without the limits on time and memory of a caller. On a busy machine, CPU time is
 * more reliable than elapsed time.
 */
import type { Statement } from '../../src/base/sql.ts'
import { openMetricBench } from '../metric-data/bench.ts'
import { inTurn, medianOf, ratioOf, type Taken } from '../rig/in-turn.ts'
import { report } from '../rig/report.ts'
import { comparisons } from './scenarios.ts'

const wanted = Number(process.argv[2] ?? 2_000_000)
const rounds = Number(process.argv[3] ?? 5)

const bench = await openMetricBench(wanted, { days: 30, test: 'latency' })
console.log(`${bench.rows} rows`)

/** The lowest and the highest ratio of a round. */
function rangeOf(ours: readonly Taken[] = [], others: readonly Taken[] = []): string {
  const ratios = ours.map(({ processors }, index) => processors / (others[index]?.processors ?? Number.NaN))
  return `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`
}

async function compare(statements: readonly Statement[]): Promise<object> {
  const [ours, others] = await inTurn(
    bench,
    rounds,
    statements.map((statement) => () => bench.unlimited(statement)),
  )
  return {
    'processor s': medianOf(ours, 'processors').toFixed(2),
    'compared with': medianOf(others, 'processors').toFixed(2),
    ratio: ratioOf(ours, others, 'processors').toFixed(2),
    range: rangeOf(ours, others),
    'ratio of times': ratioOf(ours, others, 'milliseconds').toFixed(2),
  }
}

try {
  const table: object[] = []
  for (const { name, body, than, target } of comparisons(String(bench.firstDay), String(bench.lastDay))) {
    const statements = [await bench.compile(body), await bench.compile(than)]
    const compared = await compare(statements).catch((error: unknown) => ({ ratio: String(error).slice(0, 100) }))
    const row = { scenario: name, ...compared, target: target ?? '–' }
    table.push(row)
    // Print each result at once: if a later statement ends ClickHouse, the measurements must not be lost.
    console.log(JSON.stringify(row))
  }
  report('point-statistics', table)
} finally {
  await bench.close()
}
