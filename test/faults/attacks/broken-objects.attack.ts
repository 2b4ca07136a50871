import { afterAll, beforeAll, expect, it } from 'vitest'
import { runSql } from '../../kit/run-sql.ts'
import type { Shown } from '../../features/exports/export-world.ts'
import { pause } from '../attempt.ts'
import { newSeed } from '../dice.ts'
import type { Outcome } from './broken-answer.ts'
import { facts, openBrokenWorld, type BrokenWorld } from './broken-world.ts'
import { breaks, breakUnderWorks, type Work } from './broken-works.ts'
import { openTally, type Tally } from './tally.ts'
import { lookForZeros } from './zeros.ts'

const seed = newSeed()
/**
 * The maximum time for an export. The service retries a failed attempt after 5 s, and waits three times 10 s for a
 * stalled store.
 */
const retryForMs = 90_000
let broken: BrokenWorld

beforeAll(async () => {
  broken = await openBrokenWorld('S3_ENDPOINT')
}, 120_000)
afterAll(() => broken.close(), 90_000)

const shownOf = (outcome: Outcome): Partial<Shown> => ('body' in outcome ? (outcome.body['data'] ?? {}) : {})

const read = (id: string): Promise<Outcome> => broken.send(`/downloads/${id}`, { method: 'GET' })

/** Requests a file and polls it until the export is complete or has failed. */
async function runExport(key: string): Promise<Outcome> {
  const body = { test: 'httpget', date: { from: '2026-01', to: '2026-01' } }
  const startedAt = performance.now()
  const asked = await broken.send('/test_data.csv', { body, headers: { 'idempotency-key': key } })
  const { id = '' } = shownOf(asked)
  for (let outcome = asked; ; outcome = await read(id)) {
    const hasEnded = ['complete', 'failed'].includes(shownOf(outcome).status ?? '')
    if (outcome.status !== 200 || hasEnded || performance.now() - startedAt > retryForMs) return outcome
    await pause(100)
  }
}

const exportWork = (round: number): Work => ({
  name: 'export',
  retryForMs,
  zero: 'Z5',
  run: () => runExport(`e-${round}`),
  // An export has five attempts and only one connection breaks, so the export must be complete. The end of the test
  // also checks the contents of all files.
  verify: (answer) => {
    const { status, rows } = shownOf(answer)
    return status === 'complete' && rows === facts ? null : `the export is ${status}, of ${rows} rows`
  },
})

type File = { bytes: number; rows: string }

/** Reads a file and sorts its rows, because ClickHouse returns them in stored order, which merges change. */
async function readFile(url: string): Promise<File> {
  const text = await (await fetch(url)).text()
  return { bytes: Buffer.byteLength(text), rows: text.split('\r\n').toSorted().join('\n') }
}

/** Compares every file that the service reports as complete with a file that was written without broken connections. */
async function lookForHalves(whole: File, tally: Tally): Promise<void> {
  const exports = await runSql<{ id: string; status: string; attempt: number }>(
    broken.world.superuserUrl,
    'SELECT id, status, attempt FROM exports',
  )
  for (const { id, status, attempt } of exports) {
    tally.count(`export ${status} ${attempt > 1 ? 'after another attempt' : 'at once'}`)
    if (status === 'failed') continue
    const shown = shownOf(await read(id))
    if (shown.status !== 'complete') tally.breach('Z8', 'an export that does not end', `${id} is ${status}`)
    else if (shown.rows !== facts || shown.bytes !== whole.bytes)
      tally.breach('Z5', 'an export says another size', JSON.stringify(shown))
    else if ((await readFile(shown.url ?? '')).rows !== whole.rows) tally.breach('Z5', 'an export is not whole', id)
  }
}

it(
  `${breaks} broken connections to object storage, of the service and of ClickHouse, and every complete export has all rows`,
  { timeout: 3_600_000 },
  async () => {
    const tally = openTally('broken connections to object storage', seed)
    const whole = await readFile(shownOf(await runExport('whole')).url ?? '')
    expect(new Set(whole.rows.match(/\bserver-\d+\b/g)).size).toBe(facts)
    await breakUnderWorks({ ...broken, seed, tally, makeWork: exportWork })
    await lookForHalves(whole, tally)
    lookForZeros(tally, broken.world, [broken.token])
    tally.report(breaks)
    expect(tally.sorts(), `seed ${seed}`).toEqual([])
  },
)
