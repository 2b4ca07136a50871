/**
 * Compares importing a file with ClickHouse loading the same file directly, in the same run: `npm run bench -- ingest --rows
 * <rows>`. Prints a table of ratios; absolute times depend on the machine. It measures both elapsed time and CPU time: on a
 * busy machine, CPU time is more reliable.
 */
import { createReadStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { report } from '../rig/report.ts'
import { openIngestBench, type IngestBench } from './ingest-bench.ts'

const rows = Number(process.argv[2] ?? 1_000_000)
const agents = 10_000
const rounds = 2

type Taken = { seconds: number; processorSeconds: number; memoryMb: number }
type Line = {
  what: string
  rows: number
  bare: string
  ours: string
  clock: string
  processors: string
  memory: string
}

const bench = await openIngestBench(agents)
const folder = await mkdtemp(join(tmpdir(), 'broadgauge-bench-'))
try {
  report('ingest', [
    await compare('CSV', 'CSVWithNames', rows, 0),
    await compare('CSV, 1 row in 100 rejected', 'CSVWithNames', rows / 4, 100),
    await compare('NDJSON', 'JSONEachRow', rows / 4, 0),
  ])
} finally {
  await rm(folder, { recursive: true })
  await bench.close()
}

/**
 * Runs the import and ClickHouse's direct load alternately, two rounds each, so that other load affects both. Uses the better
 * round of each.
 */
async function compare(what: string, format: string, count: number, oneBadIn: number): Promise<Line> {
  const path = join(folder, `file.${format === 'JSONEachRow' ? 'ndjson' : 'csv'}`)
  await bench.writeFile(path, format, count, oneBadIn)
  const megabytes = (await stat(path)).size / 1e6
  console.log(`${what}: ${count} rows, ${megabytes.toFixed(0)} MB`)
  const bare: Taken[] = []
  const ours: Taken[] = []
  for (let round = 0; round < rounds; round += 1) {
    bare.push(await measure(bench, () => bench.loadBare(createReadStream(path), format)))
    ours.push(await measure(bench, () => bench.importFile(path)))
    await bench.expectRows(oneBadIn === 0 ? count : count - Math.ceil(count / oneBadIn))
    await bench.forget()
  }
  const best = (all: Taken[], by: 'seconds' | 'processorSeconds') => Math.min(...all.map((one) => one[by]))
  const shown = (all: Taken[]) =>
    `${best(all, 'seconds').toFixed(1)} s, ${best(all, 'processorSeconds').toFixed(1)} processor s`
  return {
    what,
    rows: count,
    bare: shown(bare),
    ours: shown(ours),
    clock: (best(bare, 'seconds') / best(ours, 'seconds')).toFixed(2),
    processors: (best(bare, 'processorSeconds') / best(ours, 'processorSeconds')).toFixed(2),
    memory: `${Math.max(...ours.map(({ memoryMb }) => memoryMb)).toFixed(0)} MB`,
  }
}

async function measure({ processorSeconds }: IngestBench, work: () => Promise<Partial<Taken>>): Promise<Taken> {
  const before = await processorSeconds()
  const startedAt = performance.now()
  const own = await work()
  return {
    seconds: (performance.now() - startedAt) / 1000,
    processorSeconds: (await processorSeconds()) - before + (own.processorSeconds ?? 0),
    memoryMb: own.memoryMb ?? 0,
  }
}
