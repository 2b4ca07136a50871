import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Service } from '../../src/serve/wiring/service.ts'
import { ndjson, openIngestWorld, ping, reportOf, type IngestWorld, type Row } from '../ingest/ingest-world.ts'
import { sendAndHangUp } from '../ingest/send-and-hang-up.ts'
import type { Answer } from '../kit/call.ts'
import { pause } from './attempt.ts'
import { newSeed, rollDice, type Dice } from './dice.ts'

const batches = process.env['BROADGAUGE_TEST_DEEP'] === '1' ? 1_000 : 120
const writers = 4
const dice = rollDice(newSeed())
let ingest: IngestWorld
let other: Service

beforeAll(async () => {
  ingest = await openIngestWorld()
  other = await ingest.world.serve()
})
afterAll(() => ingest.world.close())

type Planned = { rows: Row[]; accepted: number; duplicates: number; rejected: number }

const identity = (row: Row) => `${String(row['agent_id'])} ${String(row['dtime'])} ${String(row['target'])}`

/**
 * A batch with rows of three months. Some rows are wrong, some are duplicates. No two batches have a result in common.
 */
function planBatch(number: number, chance: Dice): Planned {
  const rows = Array.from({ length: chance.between(1, 30) }, (_, index) => {
    const dtime = new Date(Date.UTC(2026, chance.between(0, 2), chance.between(1, 28)) + index).toISOString()
    const row = ping({ agent_id: `wb-${chance.between(1, 3)}`, dtime, target: `t-${number}` })
    const luck = chance.between(1, 20)
    if (luck === 1) return { ...row, rtt_avg: 'x' }
    return luck === 2 ? { ...row, agent_id: 'nobody' } : row
  })
  const repeated = rows.filter(() => chance.between(1, 10) === 1)
  const all = [...rows, ...repeated]
  const good = all.filter((row) => row['rtt_avg'] !== 'x' && row['agent_id'] !== 'nobody')
  const accepted = new Set(good.map(identity)).size
  return { rows: all, accepted, duplicates: good.length - accepted, rejected: all.length - good.length }
}

const ways = ['once', 'twice', 'thrice at once', 'to two instances', 'cut off, then again', 'half, then again'] as const

async function send(body: string, chance: Dice): Promise<ReturnType<typeof reportOf>[]> {
  // Sends the batch again while the instance is overloaded and asks the sender to retry.
  const post = async (address?: string): Promise<Answer> => {
    for (let tries = 1; ; tries += 1) {
      const answer = await ingest.post('ping', body, address === undefined ? {} : { address })
      if (answer.status !== 503 || tries === 10) return answer
      await pause(1_000)
    }
  }
  const way = chance.pick(ways)
  if (way === 'twice') return [reportOf(await post()), reportOf(await post())]
  if (way === 'thrice at once') return (await Promise.all([post(), post(), post()])).map(reportOf)
  if (way === 'to two instances') return (await Promise.all([post(), post(other.addresses.ingest)])).map(reportOf)
  if (way === 'cut off, then again') await sendAndHangUp(ingest, body, { retryForMs: chance.between(0, 40) })
  if (way === 'half, then again') await sendAndHangUp(ingest, body, { retryForMs: 5, bytes: body.length >> 1 })
  return [reportOf(await post())]
}

it(`stores each result of ${batches} batches once, however they are sent`, { timeout: 3_600_000 }, async () => {
  const plans = Array.from({ length: batches }, (_, number) => planBatch(number, dice.fork(number)))
  let next = 0
  let sent = 0
  const writer = async (chance: Dice) => {
    while (next < batches) {
      const number = next
      next += 1
      const plan = plans[number]
      if (plan === undefined) return
      const { rows, ...totals } = plan
      const reports = await send(ndjson(rows), chance)
      sent += reports.length
      for (const report of reports) expect(report, `batch ${number}, seed ${dice.seed}`).toMatchObject(totals)
    }
  }
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: writers }, (_, index) => writer(dice.fork(10_000 + index))))
  const stored = await ingest.ask<{ target: string; rows: number; results: number }>(
    `SELECT target, toUInt32(count()) AS rows, toUInt32(uniqExact(agent, dtime)) AS results
     FROM ${ingest.world.name}.ping GROUP BY target`,
  )
  const counted = new Map(stored.map(({ target, rows, results }) => [target, { rows, results }]))
  const wrong = plans.flatMap(({ accepted }, number) => {
    const { rows = 0, results = 0 } = counted.get(`t-${number}`) ?? {}
    return rows === accepted && results === accepted ? [] : [{ number, accepted, rows, results }]
  })
  expect(wrong, `seed ${dice.seed}`).toEqual([])
  console.log(
    `${batches} batches, ${sent} answers, ${stored.reduce((sum, { rows }) => sum + rows, 0)} rows, ` +
      `${Math.round((performance.now() - startedAt) / 1000)} s, seed ${dice.seed}`,
  )
})
