/**
 * A small and fast bench that can fail: `npm run bench -- smoke`. It measures the ratios of baseline.json on a small panel,
 * and exits with 1 if a ratio has grown too much. Only the fastest of many short rounds count. A ratio that has grown is
 * measured again, because load on the machine passes but a regression remains. There is no option `--rows`, because the
 * ratios depend on the size.
 */
import { readFileSync } from 'node:fs'
import { openMetricBench } from '../metric-data/bench.ts'
import { plainStatement } from '../metric-data/plain-statement.ts'
import { scenarios } from '../metric-data/scenarios.ts'
import { inTurn, leastRatioOf, type Taken } from '../rig/in-turn.ts'
import { report } from '../rig/report.ts'

const rows = 300_000
const rounds = 12
const tries = 4
/** A request over HTTP and its bare statement do the same work in ClickHouse, so their ratio is stable. */
const toleratedOverHttp = 1.25
/**
 * On a shared machine, the ratio of the processor times of two different statements varied from 0.7 to 1.3 of its median
 * without a change of either.
 */
const toleratedInEngine = 1.6

const baseline = JSON.parse(readFileSync(new URL('baseline.json', import.meta.url), 'utf8')) as Record<string, number>

const bench = await openMetricBench(rows)
const [from, to] = [String(bench.firstDay), String(bench.lastDay)]
const bodyOf = (name: string) => scenarios(from, to).find((one) => one.name === name)?.body

type Measured = { readonly name: string; readonly tolerated: number; readonly ratio: () => Promise<number> }
type Works = readonly (() => Promise<unknown>)[]

const compared = (name: string, tolerated: number, by: keyof Taken, works: () => Promise<Works>): Measured => ({
  name,
  tolerated,
  ratio: async () => {
    const [ours, bare] = await inTurn(bench, rounds, await works())
    return leastRatioOf(ours, bare, by)
  },
})

const overHttp = (name: string): Measured =>
  compared(`${name}: over HTTP / bare`, toleratedOverHttp, 'milliseconds', async () => {
    const statement = await bench.compile(bodyOf(name))
    return [() => bench.ask(bodyOf(name)), () => bench.bare(statement)]
  })

const asDearAs = (name: string, other: string | null): Measured =>
  compared(`${name} / ${other ?? 'plain'}, engine`, toleratedInEngine, 'processors', async () => {
    const statement = await bench.compile(bodyOf(name))
    const than = other === null ? plainStatement(from, to) : await bench.compile(bodyOf(other))
    return [() => bench.bare(statement), () => bench.bare(than)]
  })

/** Returns the minimum of several measurements. Stops at the first one that is good enough. */
async function leastOf({ name, tolerated, ratio }: Measured): Promise<number> {
  let least = Infinity
  for (let tried = 0; tried < tries; tried += 1) {
    least = Math.min(least, await ratio())
    if (least <= (baseline[name] ?? 0) * tolerated) break
  }
  return least
}

try {
  const table = []
  for (const measured of [
    overHttp('daily'),
    overHttp('daily by ISP, normalised'),
    overHttp('one agent, one day'),
    asDearAs('daily by ISP', null),
    asDearAs('daily by ISP, normalised', null),
    asDearAs('daily by ISP, prefiltered', 'daily by ISP'),
  ]) {
    const ratio = await leastOf(measured)
    const was = baseline[measured.name] ?? Number.NaN
    const grown = !(ratio <= was * measured.tolerated)
    if (grown) process.exitCode = 1
    table.push({
      what: measured.name,
      ratio: ratio.toFixed(2),
      baseline: was,
      'at most': (was * measured.tolerated).toFixed(2),
      'grown too much': grown,
    })
  }
  report('smoke', table)
} finally {
  await bench.close()
}
