/**
 * Compares exports with ClickHouse's bare statements in the same run: `npm run bench -- exports --rows <rows>`. It prints a
 * table with the following columns:
 * - the time from the request to the complete export, whose rows have been counted
 * - the growth of the service's memory in this time
 * - the time of the statement that writes the file, and of the statement that counts its rows
 */
import { exportFormats } from '../../src/catalog/export-formats.ts'
import { report } from '../rig/report.ts'
import { runBareStatements, type Asked, type BareRun } from './bare-statements.ts'
import { openBench, type Bench } from './bench.ts'

const rows = Number(process.argv[2] ?? 10_000_000)
const rounds = 3
const time = { from: '2026-01-01 00:00', to: '2026-12-31 23:59:59' }
const raw = { metric: 'httpget', chartType: 'raw', normalised: false, prefilter: false, splits: ['isp'], time }
const requests = [
  { source: 'test_data', request: { test: 'httpget', date: { from: '2026', to: '2026' } } },
  { source: 'metric_data', request: raw },
] as const

type Shown = { id: string; status: string; rows: number | null; bytes: number | null }

async function answered(bench: Bench, path: string, body?: unknown): Promise<Shown> {
  const response = await fetch(`${bench.baseUrl}${path}`, {
    headers: { authorization: bench.token, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`)
  return (JSON.parse(text) as { data: Shown }).data
}

/** Returns the time from the request to the complete file in milliseconds, and the peak memory of the service in this time. */
async function runExport(bench: Bench, { source, format, request }: Asked) {
  const startedAt = performance.now()
  let peak = 0
  const { id } = await answered(bench, `/${source}_download`, { ...(request as object), format: format.key })
  for (;;) {
    const shown = await answered(bench, `/downloads/${id}`)
    if (shown.status === 'failed') throw new Error(JSON.stringify(shown))
    peak = Math.max(peak, await bench.memory())
    if (shown.status === 'complete') return { milliseconds: performance.now() - startedAt, peak, ...shown }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

const bench = await openBench(rows)
try {
  const table = []
  for (const { source, request } of requests) {
    for (const format of exportFormats) {
      const asked = { source, format, request }
      await runExport(bench, asked)
      await bench.clearAway()
      const before = await bench.memory()
      const ours: Awaited<ReturnType<typeof runExport>>[] = []
      const bare: BareRun[] = []
      // The service and the bare statements alternate, so that other load on the machine affects both.
      while (ours.length < rounds) {
        bare.push(await runBareStatements(bench.settings, asked))
        // Remove the files after each run. Otherwise the next run would wait for the disk writes of this one.
        await bench.clearAway()
        ours.push(await runExport(bench, asked))
        await bench.clearAway()
      }
      const counts = new Set([...ours, ...bare].map((one) => one.rows))
      if (counts.size > 1) throw new Error(`not the same rows: ${[...counts].join(', ')}`)
      const best = Math.min(...ours.map(({ milliseconds }) => milliseconds))
      const write = Math.min(...bare.map(({ writeMs }) => writeMs))
      const both = Math.min(...bare.map(({ writeMs, countMs }) => writeMs + countMs))
      table.push({
        what: `${source} ${format.key}`,
        rows: ours[0]?.rows,
        MB: Math.round((ours[0]?.bytes ?? 0) / 1e6),
        'ours s': (best / 1000).toFixed(2),
        'bare write s': (write / 1000).toFixed(2),
        'of its throughput': (write / best).toFixed(2),
        'bare write and count s': (both / 1000).toFixed(2),
        'of theirs': (both / best).toFixed(2),
        'memory growth MB': Math.round(Math.max(...ours.map(({ peak }) => peak)) - before),
      })
    }
  }
  report('exports', table)
} finally {
  await bench.close()
}
