import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { storeFacts } from '../../kit/facts.ts'
import { call, type Answer } from '../../kit/call.ts'
import { pause } from '../attempt.ts'
import { newSeed, rollDice } from '../dice.ts'
import { judgeLoad } from './judge-load.ts'
import { startMixedLoad } from './mixed-load.ts'
import { openRig, type Rig } from './rig.ts'
import { openTally, sized } from './tally.ts'
import { unhandled } from './zeros.ts'

/** libfaketime, from Debian's package. It changes the wall clock of the process; timers still use the real clock. */
const library = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketime.so.1`
const canFake = existsSync(library)
const seed = newSeed()
const tally = openTally('clocks that are set', seed)

/**
 * Times (UTC) that the service's clock passes during the test. The test sets the clock a few seconds before each of
 * them.
 */
const moments: [what: string, at: string][] = [
  ['midnight at new year', '2027-01-01T00:00:00Z'],
  ['the end of a leap day', '2028-03-01T00:00:00Z'],
  ['an hour that London does not have', '2027-03-28T01:00:00Z'],
  ['the beginning of a leap day', '2028-02-29T00:00:00Z'],
  ['an hour that London has twice', '2027-10-31T01:00:00Z'],
  ['a year that is no leap year', '2027-03-01T00:00:00Z'],
  ['midnight in Kathmandu', '2027-06-30T18:15:00Z'],
  ['a new year in Auckland', '2027-12-31T11:00:00Z'],
  ['an hour that New York does not have', '2027-03-14T07:00:00Z'],
  ['an hour that New York has twice', '2027-11-07T06:00:00Z'],
  ['the end of a quarter', '2027-07-01T00:00:00Z'],
]
const chosen = moments.slice(0, Math.max(1, sized(4, 12) - 1))
const folder = mkdtempSync(join(tmpdir(), 'broadgauge-clock-'))
const offsetFile = join(folder, 'offset')
let rig: Rig

let offset = 0
/** Sets the clock of the service to the real time plus `seconds`. */
const setClock = (seconds: number) => {
  offset = Math.round(seconds)
  // Replace the file atomically. If the library read an empty file, it would reset the clock.
  writeFileSync(`${offsetFile}.new`, `${offset < 0 ? '' : '+'}${offset}\n`)
  renameSync(`${offsetFile}.new`, offsetFile)
}
/** The current day by the service's clock. The Date header is not used, because Node caches it for up to a second. */
const today = (): string => new Date(Date.now() + offset * 1000).toISOString().slice(0, 10)

beforeAll(async () => {
  if (!canFake) return
  setClock(0)
  rig = await openRig({
    kind: 'clock',
    settings: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: offsetFile,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
  })
}, 180_000)
afterAll(async () => {
  if (canFake) await rig.close()
  rmSync(folder, { recursive: true })
}, 90_000)

const minutes = 60

it.skipIf(!canFake)('a clock that is set back and forth under load harms nothing', { timeout: 300_000 }, async () => {
  const load = startMixedLoad(rig, { dice: rollDice(seed), tally })
  // The storage refuses a request if the time in its signature is 15 minutes off. So the test changes the clock by at
  // most 14 minutes.
  for (const seconds of [10 * minutes, -10 * minutes, 0, -14 * minutes, 14 * minutes, 0]) {
    setClock(seconds)
    await load.allServed()
    await load.askForFile()
  }
  await load.stop()
  await judgeLoad(rig, load, tally)
  expect(tally.sorts(), `seed ${seed}`).toEqual([])
})

const send = (path: string, method: string, body?: unknown): Promise<Answer> =>
  call(`${rig.service.address}${path}`, {
    method,
    token: rig.token,
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

/**
 * Returns the result, and the days on which the request began and ended. If the two days differ, the service may use
 * either of them.
 */
async function dated<Result>(work: () => Promise<Result>): Promise<[Result, string[]]> {
  const before = today()
  const result = await work()
  return [result, [before, today()]]
}

const lately = {
  metric: 'httpget',
  chartType: 'aggregate',
  aggregation: 'hour_of_day',
  normalised: false,
  prefilter: false,
  time: { from: '-1 days', to: '+1 days' },
}

/** Checks that a query and a change both use the day of the service's clock as "today". */
async function compareToday(what: string): Promise<void> {
  const asked = { test: 'ping', date: { from: 'now', to: 'now' } }
  const [records, days] = await dated(() => send('/test_data', 'POST', asked))
  const found = [...new Set(((records.body['data'] ?? []) as { ddate: string }[]).map(({ ddate }) => ddate))]
  if (found.length !== 1 || !days.includes(found[0] ?? ''))
    tally.breach('Z10', `${what}: "now" is another day`, `${records.status} ${found.join()} on ${days.join(' or ')}`)
  const points = await send('/metric_data', 'POST', lately)
  if (points.status !== 200) tally.breach('Z3', `${what}: points`, `${points.status} ${points.text.slice(0, 300)}`)
  const body = { agent: { unit_id: 1 }, metadata: { custom: { mark: `${what} ${performance.now()}` } } }
  const [changed, changeDays] = await dated(() => send('/metadata', 'PUT', body))
  const history = (await send('/metadata/unit/1/history', 'GET')).body['data'] as { from: string | null }[]
  const from = history.at(-1)?.from ?? ''
  if (changed.status !== 200 || !changeDays.includes(from))
    tally.breach('Z1', `${what}: a change of another day`, `${changed.status} ${from} on ${changeDays.join(' or ')}`)
  tally.count('days looked at')
}

it.skipIf(!canFake).each(chosen)('%s passes under load without harm', { timeout: 120_000 }, async (what, at) => {
  const moment = Date.parse(at)
  const rows = [-2, -1, 0, 1].map((day) => ({
    agent: 'acme-1',
    dtime: new Date(moment + day * 86_400_000).toISOString().slice(0, 10) + ' 12:00:00.000',
    target: 'today',
  }))
  await storeFacts(rig.world, 'ping', rows)
  setClock((moment - Date.now()) / 1000 - 2)
  const endsAt = performance.now() + 5_000
  while (performance.now() < endsAt) {
    await compareToday(what)
    await pause(100)
  }
  expect(Date.now() + offset * 1000).toBeGreaterThan(moment)
  setClock(0)
})

it.skipIf(!canFake)('no unexpected error occurred', () => {
  if (!rig.service.isRunning()) tally.breach('Z7', 'the service has ended', rig.service.said().slice(-500))
  for (const line of rig.service.said().split('\n')) {
    if (line.includes('UNKNOWN_ERROR')) tally.breach('Z3', 'an unforeseen failure', line.slice(0, 600))
    if (unhandled.test(line)) tally.breach('Z7', 'an unhandled error', line.slice(0, 600))
  }
  tally.report(chosen.length + 1)
  expect(tally.sorts(), `seed ${seed}`).toEqual([])
})
