import { afterAll, beforeAll, expect, it } from 'vitest'
import { runSql } from '../../kit/run-sql.ts'
import { pause } from '../attempt.ts'
import { newSeed } from '../dice.ts'
import { findTimelineFaults } from '../timeline-faults.ts'
import type { Outcome } from './broken-answer.ts'
import { openBrokenWorld, type BrokenWorld } from './broken-world.ts'
import { breaks, breakUnderWorks, type Work } from './broken-works.ts'
import { openTally } from './tally.ts'
import { lookForZeros } from './zeros.ts'

const seed = newSeed()
let broken: BrokenWorld

beforeAll(async () => {
  broken = await openBrokenWorld('POSTGRES_URL')
}, 120_000)
afterAll(() => broken.close(), 90_000)

/** The last acknowledged value of each unit. */
const marks = new Map<number, string>()

function readWork(unit: number): Work {
  return {
    name: 'GET /metadata',
    run: () => broken.send(`/metadata/unit/${unit}`, { method: 'GET' }),
    verify: ({ body }) => {
      const { mark } = (body['data'] as { custom?: { mark?: string } }).custom ?? {}
      return mark === marks.get(unit) ? null : `reads ${mark}, acknowledged was ${marks.get(unit)}`
    },
  }
}

function changeWork(unit: number, mark: string): Work {
  const body = { agent: { unit_id: unit }, metadata: { custom: { mark } } }
  const run = async (): Promise<Outcome> => {
    // The status 409 means that an earlier attempt is still running. Repeat until the outcome is known.
    for (;;) {
      const answer = await broken.send('/metadata', { method: 'PUT', body, headers: { 'idempotency-key': mark } })
      if (answer.status !== 409) return answer
      await pause(100)
    }
  }
  const verify = () => {
    marks.set(unit, mark)
    return null
  }
  return { name: 'PUT /metadata', run, verify }
}

it(`${breaks} broken connections to PostgreSQL lose, duplicate and hide nothing`, { timeout: 3_600_000 }, async () => {
  const tally = openTally('broken connections to PostgreSQL', seed)
  const sent = new Set<string>()
  const makeWork = (round: number): Work => {
    const unit = 1 + (round % 4)
    if (round % 5 === 4) return readWork(unit)
    const mark = `m-${seed}-${round}`
    sent.add(mark)
    return changeWork(unit, mark)
  }
  await breakUnderWorks({ ...broken, seed, tally, makeWork })
  const events = await runSql<{ mark: string; times: number }>(
    broken.world.superuserUrl,
    `SELECT request #>> '{metadata,custom,mark}' AS mark, count(*)::integer AS times FROM metadata_events
     WHERE kind = 'change' GROUP BY 1`,
  )
  for (const { mark, times } of events.filter((one) => one.times > 1))
    tally.breach('Z2', 'a change', `${mark} ${times} times`)
  const made = new Set(events.map(({ mark }) => mark))
  for (const mark of [...sent].filter((one) => !made.has(one))) tally.breach('Z1', 'a change', mark)
  lookForZeros(tally, broken.world, [broken.token])
  tally.report(breaks)
  expect(tally.sorts(), `seed ${seed}`).toEqual([])
  expect(await findTimelineFaults(broken.world.superuserUrl)).toEqual([])
})
