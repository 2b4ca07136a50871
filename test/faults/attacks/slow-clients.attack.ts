import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { discardAnswer, type Asked } from '../../../bench/test-data/discarding-client.ts'
import { openStreamWorld, type StreamWorld } from '../../features/test-data/stream-world.ts'
import { attempt, pause } from '../attempt.ts'
import { childService, type ChildService } from '../child-service.ts'
import { newSeed } from '../dice.ts'
import { findLingeringQueries } from './lingering-queries.ts'
import { noLimits } from './no-limits.ts'
import { readSlowly, stopReading } from './slow-readers.ts'
import { sendSlowly, slowSenders } from './slow-senders.ts'
import { openTally, sized } from './tally.ts'
import { secretsOf } from './zeros.ts'

const isDeep = process.env['BROADGAUGE_TEST_DEEP'] === '1'
const rounds = sized(1, 3)
const readers = isDeep ? 50 : 10
const readSeconds = isDeep ? 120 : 20
/** The number of readers that stop reading. With them the test takes a minute longer, so only the deep run has them. */
const silentReaders = isDeep ? 5 : 0
const answerBytesMin = 100_000_000
/**
 * The maximum growth of memory: 2 MB for each reader, as in `test/features/test-data/slow-callers.test.ts`, and 50 MB
 * of garbage that Node has not collected yet.
 */
const grownMegabytesMax = 2 * (readers + silentReaders) + 50
const othersMsMax = 5_000
const seed = newSeed()
const tally = openTally('slow clients', seed)
let stage: StreamWorld
/** The service runs in a separate process, so that the test can measure its memory. */
let service: ChildService
let asked: Asked

beforeAll(async () => {
  stage = await openStreamWorld(250_000)
  service = await childService({ ...stage.world.environment, ...noLimits })
  await service.start()
  asked = {
    url: `${service.address}/test_data`,
    headers: { Authorization: stage.token, 'Content-Type': 'application/json' },
    body: JSON.stringify(stage.body),
  }
  expect(await discardAnswer(asked).ended).toBeGreaterThan(answerBytesMin)
}, 180_000)
afterAll(async () => {
  await service.stop()
  await stage.world.close()
}, 60_000)

const residentMegabytes = (): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${service.pid()}/status`, 'utf8'))?.[1]) / 1000

/**
 * Sends requests of another caller while `goesOn` returns true: requests that the service answers from memory, and
 * queries, alternately. Returns the slowest response and the maximum memory of the service.
 */
async function askMeanwhile(goesOn: () => boolean): Promise<{ slowestMs: number; mostMegabytes: number }> {
  const nothing = { test: 'httpget', date: { from: '2025-01', to: '2025-01' } }
  const headers = { 'content-type': 'application/json' }
  let [slowestMs, mostMegabytes] = [0, 0]
  for (let turn = 0; goesOn(); turn += 1) {
    const startedAt = performance.now()
    const answer = await (turn % 2 === 0
      ? attempt(`${service.address}/tests`, { token: stage.token })
      : attempt(asked.url, { method: 'POST', token: stage.token, headers, body: JSON.stringify(nothing) }))
    if (answer?.status !== 200) tally.breach('Z3', 'another tenant', `${answer?.status} ${answer?.text.slice(0, 200)}`)
    slowestMs = Math.max(slowestMs, performance.now() - startedAt)
    mostMegabytes = Math.max(mostMegabytes, residentMegabytes())
    await pause(100)
  }
  return { slowestMs, mostMegabytes }
}

function lookIntoLog(): void {
  if (!service.isRunning()) tally.breach('Z7', 'the service has ended', service.said().slice(-500))
  const secrets = [...secretsOf(stage.world.environment), stage.token.replace(/^Bearer /, '')]
  if (secrets.some((secret) => service.said().includes(secret))) tally.breach('Z6', 'a secret in the log', '')
  const unforeseen = /UNKNOWN_ERROR|unhandled|uncaught|unexpected error, stopping/i.exec(service.said())
  if (unforeseen !== null)
    tally.breach(
      'Z7',
      'an unforeseen failure',
      service
        .said()
        .slice(unforeseen.index - 300)
        .slice(0, 600),
    )
}

it.each(Array.from({ length: rounds }, (_, round) => round + 1))(
  `${slowSenders} slow senders end in time, ${readers} slow readers cost little, and no other caller is delayed, round %i`,
  { timeout: 300_000 },
  async (round) => {
    const before = residentMegabytes()
    let goesOn = true
    const others = askMeanwhile(() => goesOn)
    await Promise.all([
      sendSlowly(service.address, stage.token, tally),
      readSlowly(asked, readers, readSeconds, tally),
      silentReaders === 0 ? null : stopReading(asked, silentReaders, service, tally),
    ]).finally(() => (goesOn = false))
    const { slowestMs, mostMegabytes } = await others
    for (const query of await findLingeringQueries(stage.world)) tally.breach('Z9', 'a query is alive', query)
    lookIntoLog()
    console.log(
      `others waited for ${Math.round(slowestMs)} ms at most; memory ${Math.round(before)} MB before, ` +
        `${Math.round(mostMegabytes)} MB at most, ${Math.round(residentMegabytes())} MB afterwards`,
    )
    if (round === rounds) tally.report(rounds * (slowSenders + readers + silentReaders))
    expect(tally.sorts()).toEqual([])
    expect(slowestMs).toBeLessThan(othersMsMax)
    expect(mostMegabytes - before).toBeLessThan(grownMegabytesMax)
  },
)
