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
/** An attempt that fails is followed by another after 5 s, and a store that stands still is given 10 s three times. */
const patienceMs = 90_000
let broken: BrokenWorld

beforeAll(async () => {
  broken = await openBrokenWorld('S3_ENDPOINT')
}, 120_000)
afterAll(() => broken.close(), 90_000)

const shownOf = (outcome: Outcome): Partial<Shown> => ('body' in outcome ? (outcome.body['data'] ?? {}) : {})

const read = (id: string): Promise<Outcome> => broken.send(`/downloads/${id}`, { method: 'GET' })

/** Asks for a file, and how it is getting on until it has ended. */
async function runExport(key: string): Promise<Outcome> {
  const body = { test: 'httpget', date: { from: '2026-01', to: '2026-01' } }
  const startedAt = performance.now()
  const asked = await broken.send('/test_data.csv', { body, headers: { 'idempotency-key': key } })
  const { id = '' } = shownOf(asked)
  for (let outcome = asked; ; outcome = await read(id)) {
    const hasEnded = ['complete', 'failed'].includes(shownOf(outcome).status ?? '')
    if (outcome.status !== 200 || hasEnded || performance.now() - startedAt > patienceMs) return outcome
    await pause(100)
  }
}

const exportWork = (round: number): Work => ({
  name: 'export',
  patienceMs,
  zero: 'Z5',
  run: () => runExport(`e-${round}`),
  // It has five attempts, and one connection was broken. Whether the file is whole is seen at the end, of all files.
  verify: (answer) => {
    const { status, rows } = shownOf(answer)
    return status === 'complete' && rows === facts ? null : `the export is ${status}, of ${rows} rows`
  },
})

type File = { bytes: number; rows: string }

/** The rows in any order: the engine gives them in the order in which they are stored, which merges change. */
async function readFile(url: string): Promise<File> {
  const text = await (await fetch(url)).text()
  return { bytes: Buffer.byteLength(text), rows: text.split('\r\n').toSorted().join('\n') }
}

/** Every file that is said to be complete, whoever still knows of it, has each byte of one that nothing happened to. */
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
  `${breaks} broken connections to object storage, the service's and the engine's, and every complete export is whole`,
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
