/**
 * Compares a year of daily points from rollups with the same query from results, in the same run: `npm run bench -- rollup
 * --rows <rows>`. The bytes are the bytes that ClickHouse has read. The times are medians over alternating rounds. The times
 * of the service are measured over HTTP and include the search for late results.
 */
import { median } from '../rig/median.ts'
import { report } from '../rig/report.ts'
import { openRollupBench } from './bench.ts'

const wanted = Number(process.argv[2] ?? 3_000_000)
const rounds = Number(process.argv[3] ?? 5)

const bench = await openRollupBench(wanted)
console.log(`${bench.rows} rows, rollups built in ${bench.buildSeconds.toFixed(0)} s`)

const time = { from: `${bench.firstDay} 00:00:00`, to: `${bench.lastDay} 23:59:59` }
const base = {
  metric: 'httpget',
  chartType: 'aggregate',
  aggregation: 'daily',
  normalised: false,
  prefilter: true,
  time,
}
const filters = [{ id: 'ip_version', filterType: 'include', filterValues: ['4'] }]
const questions = [
  { name: 'daily', body: base },
  { name: 'daily by ISP', body: { ...base, splits: ['isp'] } },
  { name: 'daily by ISP and country, normalised', body: { ...base, splits: ['isp', 'country'], normalised: true } },
  { name: 'daily by package, IP version 4', body: { ...base, splits: ['package'], filters } },
  { name: 'monthly, normalised', body: { ...base, aggregation: 'monthly', normalised: true } },
]

try {
  const rows: object[] = []
  for (const { name, body } of questions) {
    for (const percentiles of ['none', 'sketch']) {
      const asked = { ...body, percentiles, intervals: 'results' }
      const [raw, sums, ours] = [[], [], []] as [
        { milliseconds: number; bytes: number }[],
        { bytes: number }[],
        number[],
      ]
      for (let round = 0; round <= rounds; round += 1) {
        const taken = {
          raw: await bench.fromResults(asked),
          sums: await bench.fromRollup(asked),
          ours: await bench.ask(asked),
        }
        // The first round is a warm-up and does not count.
        if (round === 0) continue
        raw.push(taken.raw)
        sums.push(taken.sums)
        ours.push(taken.ours)
      }
      const bytes = { raw: median(raw.map((one) => one.bytes)), sums: median(sums.map((one) => one.bytes)) }
      rows.push({
        question: `${name}, ${percentiles}`,
        'results, MB': (bytes.raw / 1e6).toFixed(1),
        'sums, MB': (bytes.sums / 1e6).toFixed(2),
        'bytes, %': ((100 * bytes.sums) / bytes.raw).toFixed(1),
        'results, ms': median(raw.map((one) => one.milliseconds)).toFixed(0),
        'ours over HTTP, ms': median(ours).toFixed(0),
        faster: median(ours.map((one, index) => (raw[index]?.milliseconds ?? Number.NaN) / one)).toFixed(1),
      })
    }
  }
  report('rollup', rows)
} finally {
  await bench.close()
}
