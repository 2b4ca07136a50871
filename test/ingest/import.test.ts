import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, readdirSync, readlinkSync } from 'node:fs'
import { mkdtemp, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ingestLimits } from '../../src/base/limits.ts'
import { beginImport, recordImport } from '../../src/engine/postgres/operator/import-files.ts'
import { createProgram } from '../../src/serve/program.ts'
import { runSql } from '../kit/run-sql.ts'
import { csv, ndjson, openIngestWorld, ping, type IngestWorld, type Row } from './ingest-world.ts'

let ingest: IngestWorld
let folder: string

beforeAll(async () => {
  ingest = await openIngestWorld()
  folder = await mkdtemp(join(tmpdir(), 'broadgauge-import-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
  await ingest.world.close()
})

type Report = {
  files: { file: string; skipped: boolean; accepted: number; duplicates: number; rejected: number }[]
  failures: string[]
  total: { accepted: number; rejected: number; rejections: { reason: string; rows: number }[] }
}

type Run = { report: Report; said: string; exitCode: number; error: string }

/** Runs the command in this process, with the arguments that an operator would give. */
async function run(test: string, ...words: string[]): Promise<Run> {
  let said = ''
  let exitCode = 0
  const context = {
    environment: ingest.world.environment,
    write: (text: string) => (said += text),
    exitWith: (code: number) => (exitCode = code),
  }
  const owner = words.includes('--organisation') ? [] : ['--organisation', 'acme']
  let error = ''
  await createProgram(context)
    .exitOverride()
    .parseAsync(['import', test, ...words, ...owner, '--json'], { from: 'user' })
    .catch((thrown: Error) => (error = thrown.message))
  return { report: said === '' ? { files: [], failures: [] } : JSON.parse(said), said, exitCode, error }
}

const file = async (name: string, content: string | Uint8Array): Promise<string> => {
  const path = join(folder, name)
  await writeFile(path, content)
  return path
}

let second = 0
const nextTime = () => new Date(Date.UTC(2026, 0, 1) + (second += 1) * 1000).toISOString()
const rows = (count: number, more: Row = {}): Row[] =>
  Array.from({ length: count }, () => ping({ dtime: nextTime(), ...more }))
const countOf = async (target: string): Promise<number> =>
  (await ingest.stored('ping')).filter((row) => row['target'] === target).length

describe('a file', () => {
  it.each<[string, (rows: Row[]) => string | Uint8Array]>([
    ['plain.csv', csv],
    ['plain.ndjson', ndjson],
    ['plain.jsonl', ndjson],
    ['packed.csv.gz', (all) => gzipSync(csv(all))],
    ['packed.ndjson.zst', (all) => zstdCompressSync(ndjson(all))],
    ['UPPER.CSV', csv],
  ])('%s is stored', async (name, write) => {
    const path = await file(name, write(rows(25, { target: name })))
    const { report, exitCode, error } = await run('ping', path)
    expect([error, exitCode]).toEqual(['', 0])
    expect(report.files).toMatchObject([{ file: path, skipped: false, accepted: 25, duplicates: 0, rejected: 0 }])
    expect(await countOf(name)).toBe(25)
  })

  it('of Parquet is stored, with any column types', async () => {
    const path = join(folder, 'typed.parquet')
    await writeParquet(
      path,
      `SELECT concat('wb-', toString(1 + number % 3)) AS agent_id,
              toDateTime64('2026-05-01 10:00:00.123456', 6, 'UTC') + toIntervalSecond(number) AS dtime,
              'parquet, "quoted"\nand more' AS target, if(number = 0, NULL, toInt32(number)) AS rtt_avg,
              toUInt8(5) AS successes, toFloat64(0) AS failures, 'left alone' AS base
       FROM numbers(1000)`,
    )
    const { report, error } = await run('ping', path)
    expect(error).toBe('')
    expect(report.files).toMatchObject([{ accepted: 1_000, rejected: 0 }])
    const stored = (await ingest.stored('ping')).filter((row) => String(row['target']).startsWith('parquet'))
    expect(stored).toHaveLength(1_000)
    expect(stored.filter((row) => row['rtt_avg'] === null)).toHaveLength(1)
    expect(stored.find((row) => row['rtt_avg'] === 7)).toMatchObject({
      dtime: '2026-05-01 10:00:07.123',
      target: 'parquet, "quoted"\nand more',
      agent: 2,
      successes: 5,
    })
  })

  it('that was imported is skipped, unless it has changed', async () => {
    const path = await file('again.csv', csv(rows(5, { target: 'again' })))
    await run('ping', path)
    expect((await run('ping', path)).report.files).toMatchObject([{ skipped: true, accepted: 5 }])
    await utimes(path, new Date(), new Date(Date.now() - 60_000))
    expect((await run('ping', path)).report.files).toMatchObject([{ skipped: false, accepted: 5 }])
    await writeFile(path, csv(rows(7, { target: 'again' })))
    expect((await run('ping', path)).report.files).toMatchObject([{ skipped: false, accepted: 7 }])
    expect(await countOf('again')).toBe(12)
  })

  it('that has grown is compared with what is stored: nothing of it is stored twice', async () => {
    const first = rows(5, { target: 'longer' })
    const path = await file('longer.csv', csv(first))
    await run('ping', path)
    await writeFile(path, csv([...first, ...rows(1, { target: 'longer' })]))
    for (const secondsAgo of [60, 120]) {
      // The service deletes the record of a batch after a month. Simulate this deletion.
      await runSql(ingest.world.superuserUrl, 'DELETE FROM ingest_batches')
      await utimes(path, new Date(), new Date(Date.now() - secondsAgo * 1000))
      expect((await run('ping', path)).report.files).toMatchObject([{ skipped: false, accepted: 6 }])
      expect(await countOf('longer')).toBe(6)
    }
  })

  const described = async (path: string) => {
    const { mtime, size } = await stat(path)
    return { test: 'ping', path, bytes: size, modifiedAt: mtime, panel: null }
  }
  const acme = { organisationId: 1 }

  it('that was interrupted long ago is compared with what is stored: batches are forgotten after a month', async () => {
    const path = await file('month.csv', csv(rows(5, { target: 'month' })))
    const isAnew = await ingest.world.operate(async (operator) => {
      const one = await described(path)
      const begunAgo = async (age: string) => {
        await beginImport(operator, acme, one)
        const query = 'UPDATE import_files SET started_at = now() - $2::interval WHERE path = $1'
        await runSql(ingest.world.superuserUrl, query, [path, age])
        return (await beginImport(operator, acme, one)).anew
      }
      return [await begunAgo('28 days'), await begunAgo('30 days')]
    })
    expect(isAnew).toEqual([false, true])
    expect((await run('ping', path)).report.files).toMatchObject([{ skipped: false, accepted: 5 }])
    expect(await countOf('month')).toBe(5)
  })

  it('that replaced another is not completed by an import of that one', async () => {
    const before = await described(await file('replaced.csv', csv(rows(5, { target: 'replaced' }))))
    const after = { ...before, bytes: before.bytes + 1 }
    const done = { bytesDone: before.bytes, finished: true, accepted: 5, duplicates: 0, rejected: 0 }
    await ingest.world.operate(async (operator) => {
      await beginImport(operator, acme, before)
      await beginImport(operator, acme, after)
      await recordImport(operator, acme, before, done)
      expect(await beginImport(operator, acme, after)).toMatchObject({ finished: false, bytesDone: 0, anew: true })
      await recordImport(operator, acme, after, done)
      expect(await beginImport(operator, acme, after)).toMatchObject({ finished: true, accepted: 5 })
    })
  })

  it('reports how many rows were rejected and why, where they are, and by its exit code', async () => {
    const bad = [...rows(3, { target: 'part' }), ...rows(2, { agent_id: 'nobody' }), ...rows(1, { rtt_avg: 'x' })]
    const path = await file('part.csv', csv(bad))
    const { report, exitCode } = await run('ping', path)
    expect(exitCode).toBe(2)
    expect(report.total).toMatchObject({ accepted: 3, rejected: 3 })
    expect(report.total.rejections.map(({ reason, rows: count }) => [reason, count])).toEqual([
      ['unknown_agent', 2],
      ['wrong_type', 1],
    ])
    const header = csv(bad).indexOf('\n') + 1
    const kept = (await ingest.rejected()).filter((row) => row['source'] === `${path}@${header}`)
    expect(kept.map((row) => row['row'])).toEqual([4, 5, 6])
  })

  it('rejects a text that is too long, like an ingest request', async () => {
    const path = await file(
      'long.csv',
      csv([...rows(2, { target: 'short' }), ...rows(1, { target: 'x'.repeat(2_049) })]),
    )
    const { report } = await run('ping', path)
    expect(report.total).toMatchObject({ accepted: 2, rejected: 1, rejections: [{ reason: 'too_long', rows: 1 }] })
  })
})

it('accepts many files and patterns, and continues after one that is wrong', async () => {
  await file('many-1.csv', csv(rows(2, { target: 'many' })))
  await file('many-2.csv', csv(rows(2, { target: 'many' })).replace('rtt_avg', 'rtt_avrg'))
  await file('many-3.csv', csv(rows(2, { target: 'many' })))
  const broken = await file('many.parquet', 'not one')
  const { report, error } = await run('ping', join(folder, 'many-*.csv'), broken)
  expect(report.files.map(({ accepted }) => accepted)).toEqual([2, 2])
  expect(error).toContain('many-2.csv: rtt_avrg: This field was not expected.')
  expect(error).toContain('many.parquet: this is not a valid Parquet file')
  expect(await countOf('many')).toBe(4)
  expect(openFiles().filter((path) => path.startsWith(folder))).toEqual([])
})

/** The paths of the open files of this process. */
const openFiles = (): string[] =>
  readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      return [readlinkSync(`/proc/self/fd/${descriptor}`)]
    } catch {
      return []
    }
  })

it.each([
  ['a test that does not exist', ['pong', 'x.csv'], 'no such test: pong'],
  ['a file that is not there', ['ping', '/nowhere/x.csv'], 'there is no file /nowhere/x.csv'],
  [
    'an organisation that is not there',
    ['ping', 'package.json', '--organisation', 'nobody'],
    'no organisation "nobody"',
  ],
])('refuses %s', async (_what, [test = '', ...words], message) => {
  expect((await run(test, ...words)).error).toContain(message)
})

it('refuses a file whose name has no known format', async () => {
  const path = await file('results.txt', csv(rows(1)))
  expect((await run('ping', path)).error).toContain('the name must end in .csv')
})

it('continues after a kill, and stores every row once', { timeout: 240_000 }, async () => {
  // The long text is in a column that ingest ignores. A text that is stored may not be that long.
  const base = 'x'.repeat(3_000)
  const path = join(folder, 'large.csv')
  const count = Math.ceil((ingestLimits.batchBytesMax * 4.5) / base.length)
  const names = Object.keys(ping({ base })).join(',')
  await pipeline(async function* () {
    yield `${names}\n`
    for (let row = 0; row < count; row += 1) {
      yield `${Object.values(ping({ dtime: nextTime(), target: `large ${row}`, base })).join(',')}\n`
    }
  }, createWriteStream(path))
  const state = async () =>
    (
      await runSql<{ done: string }>(
        ingest.world.superuserUrl,
        'SELECT bytes_done AS done FROM import_files WHERE path = $1',
        [path],
      )
    )[0]
  const environment = { PATH: process.env['PATH'] ?? '', ...ingest.world.environment }
  const words = ['src/serve/main.ts', 'import', 'ping', path, '--organisation', 'acme']
  const child = spawn(process.execPath, words, { env: environment, stdio: 'ignore' })
  await expect
    .poll(async () => Number((await state())?.done ?? 0), { timeout: 120_000, interval: 20 })
    .toBeGreaterThan(0)
  child.kill('SIGKILL')
  await once(child, 'exit')
  const done = Number((await state())?.done)
  const { report } = await run('ping', path)
  expect(report.files).toMatchObject([{ skipped: false, accepted: count, rejected: 0, duplicates: 0 }])
  const [stored] = await ingest.ask<{ rows: number; results: number }>(
    `SELECT toUInt32(count()) AS rows, toUInt32(uniqExact(target)) AS results FROM ${ingest.world.name}.ping
     WHERE startsWith(target, 'large ')`,
  )
  expect(stored).toEqual({ rows: count, results: count })
  expect((await run('ping', path)).report.files).toMatchObject([{ skipped: true, accepted: count }])
  console.log(`killed after ${done} bytes of ${count} rows`)
})

async function writeParquet(path: string, query: string): Promise<void> {
  const [node] = ingest.world.engine('ADMIN').nodes
  const result = await node?.exec({ query: `${query} FORMAT Parquet` })
  if (result !== undefined) await pipeline(result.stream, createWriteStream(path))
}
