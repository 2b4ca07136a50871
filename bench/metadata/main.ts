/**
 * Compares the metadata interface with the bare stores in the same run: `npm run bench -- metadata --rows <agents>`. Prints a
 * table of ratios; absolute times depend on the machine.
 */
import { report } from '../rig/report.ts'
import { openBench } from './bench.ts'
import { measureBulkChanges } from './bulk-changes.ts'
import { readDictionarySizes } from './dictionaries.ts'
import { measureFreshness } from './freshness.ts'
import { measureReading } from './reading.ts'

const agents = Number(process.argv[2] ?? 100_000)
const bench = await openBench(agents)
try {
  const rows = [
    ...(await measureReading(bench)),
    ...(await measureBulkChanges(bench)),
    ...(await measureFreshness(bench)),
  ]
  report('metadata', rows)
  report('metadata-dictionaries', await readDictionarySizes(bench.settings))
} finally {
  await bench.close()
}
