/**
 * POST /test_data against the bare engine that streams the same rows to the same client, in the same run:
 * `node bench/test-data/main.ts [rows]`. Ratios count; absolute figures are those of the machine it ran on.
 */
import { openBench } from './bench.ts'
import { measureSlowCallers } from './slow-callers.ts'
import { measureThroughput } from './throughput.ts'

const rows = Number(process.argv[2] ?? 10_000_000)
const bench = await openBench(rows)
try {
  console.table([...(await measureThroughput(bench)), ...(await measureSlowCallers(bench))])
} finally {
  await bench.close()
}
