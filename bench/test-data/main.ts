/**
 * Compares POST /test_data with ClickHouse streaming the same rows to the same client, in the same run: `npm run bench --
 * test-data --rows <rows>`. Only ratios are meaningful; absolute numbers depend on the machine.
 */
import { report } from '../rig/report.ts'
import { openBench } from './bench.ts'
import { measureSlowCallers } from './slow-callers.ts'
import { measureFormats, measureThroughput } from './throughput.ts'

const rows = Number(process.argv[2] ?? 10_000_000)
const bench = await openBench(rows)
try {
  const streams = [...(await measureThroughput(bench)), ...(await measureFormats(bench))]
  report('test-data', [...streams, ...(await measureSlowCallers(bench))])
} finally {
  await bench.close()
}
