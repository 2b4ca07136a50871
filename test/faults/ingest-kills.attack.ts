import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { killComponent, stackDown, stackUp, startComponent, type Stack } from '../../devstack/index.ts'
import { ndjson, openIngestWorld, ping, reportOf, type IngestWorld } from '../ingest/ingest-world.ts'
import { attempt, pause, until } from './attempt.ts'
import { newSeed, rollDice, type Dice } from './dice.ts'

const kills = process.env['BROADGAUGE_TEST_DEEP'] === '1' ? 100 : 12
const writers = 4
const dice = rollDice(newSeed())
/** Separate stores, because the test kills them. */
const name = `ingest-${randomBytes(3).toString('hex')}`
let stack: Stack
let ingest: IngestWorld

beforeAll(async () => {
  stack = await stackUp({ name })
  ingest = await openIngestWorld({}, stack)
}, 120_000)
afterAll(async () => {
  try {
    await ingest.world.close()
  } finally {
    await stackDown({ name, wipe: true })
  }
}, 60_000)

type Sent = { target: string; rows: number; months: number; answered: boolean; tries: number }

/**
 * Sends one batch after another as one writer, and repeats each batch until there is a response. It sends some batches
 * only once, whatever the outcome.
 */
async function stream(writer: number, chance: Dice, goesOn: () => boolean, onAnswer: () => void): Promise<Sent[]> {
  const sent: Sent[] = []
  while (goesOn()) {
    const target = `w${writer}-${sent.length}`
    const isGivenUp = chance.between(1, 4) === 1
    const months = isGivenUp ? 1 : chance.between(1, 3)
    const rows = chance.between(1, 2_000)
    const body = ndjson(
      Array.from({ length: rows }, (_, index) =>
        ping({
          agent_id: `wb-${1 + (index % 3)}`,
          dtime: new Date(Date.UTC(2026, index % months, 1 + writer) + index).toISOString(),
          target,
        }),
      ),
    )
    const one: Sent = { target, rows, months, answered: false, tries: 0 }
    sent.push(one)
    while (!one.answered && !(isGivenUp && one.tries > 0)) {
      one.tries += 1
      const answer = await attempt(`${ingest.service.addresses.ingest}/ingest/ping`, {
        method: 'POST',
        token: ingest.token,
        headers: { 'content-type': 'application/x-ndjson' },
        body,
      })
      expect([200, 503, undefined], answer?.text).toContain(answer?.status)
      if (answer?.status === 200) {
        expect(reportOf(answer)).toMatchObject({ accepted: rows, rejected: 0 })
        one.answered = true
        onAnswer()
      } else await pause(50)
    }
  }
  return sent
}

it(`loses and duplicates nothing when ClickHouse is killed ${kills} times`, { timeout: 1_800_000 }, async () => {
  let killed = 0
  let answers = 0
  const killing = async () => {
    for (; killed < kills; killed += 1) {
      const enough = answers + dice.between(2, 12)
      await until(async () => answers >= enough, 120_000, 2)
      await pause(dice.between(0, 60))
      await killComponent(stack, 'clickhouse-1')
      await pause(dice.between(0, 500))
      await startComponent(stack, 'clickhouse-1')
    }
  }
  const streams = Array.from({ length: writers }, (_, writer) =>
    stream(
      writer,
      dice.fork(writer),
      () => killed < kills,
      () => (answers += 1),
    ),
  )
  const [sent] = await Promise.all([Promise.all(streams).then((all) => all.flat()), killing()])
  const stored = await ingest.ask<{ target: string; rows: number; results: number }>(
    `SELECT target, toUInt32(count()) AS rows, toUInt32(uniqExact(agent, dtime)) AS results
     FROM ${ingest.world.name}.ping GROUP BY target`,
  )
  const counted = new Map(stored.map(({ target, rows, results }) => [target, { rows, results }]))
  const found = sent.map((one) => ({
    ...one,
    ...(counted.get(one.target) ?? { rows: 0, results: 0 }),
    sentRows: one.rows,
  }))
  const lost = found.filter(({ answered, rows, sentRows }) => answered && rows < sentRows)
  const twice = found.filter(({ rows, results }) => rows !== results)
  const half = found.filter(({ answered, rows, sentRows }) => !answered && rows !== 0 && rows !== sentRows)
  const seed = `seed ${dice.seed}`
  expect(lost, seed).toEqual([])
  expect(twice, seed).toEqual([])
  expect(half, seed).toEqual([])
  const retried = found.filter(({ tries }) => tries > 1).length
  const whole = found.filter(({ answered, rows }) => !answered && rows > 0).length
  console.log(
    `${kills} kills, ${writers} writers, ${found.length} batches, ${found.reduce((sum, { rows }) => sum + rows, 0)} rows: ` +
      `${retried} sent again, ${found.filter(({ answered }) => !answered).length} given up (${whole} of them stored whole), ` +
      `none lost, none twice, no half one; ${seed}`,
  )
  expect(retried).toBeGreaterThan(0)
})
