import { afterAll, beforeAll, expect, it } from 'vitest'
import { panelOf, say } from '../../features/filters/values-world.ts'
import { storeFacts } from '../../kit/facts.ts'
import { organisation } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { injectionStrings } from '../../features/metric-data/injection-strings.ts'
import { answerFaults } from '../../http/openapi/document.ts'
import { newSeed, rollDice } from '../dice.ts'
import { openAttackedWorld, type AttackedWorld } from './attacked-world.ts'
import { exchange } from './exchange.ts'
import { positions, question, questionKey } from './injected-request.ts'
import { openTally, sized } from './tally.ts'
import { isCounted, untilCounted } from './until-counted.ts'
import { parsedJson } from './parsed-json.ts'
import { lookForZeros, secretIn } from './zeros.ts'

const requests = sized(6_000, 24_000)
const atOnce = 8
const seed = newSeed()
const tally = openTally('injection at every string position', seed)
let attacked: AttackedWorld
let hasSecret: (said: string) => boolean

beforeAll(async () => {
  attacked = await openAttackedWorld()
  const { world } = attacked
  hasSecret = secretIn(world.environment, [attacked.everything])
  // Create the victim. A successful injection would show the victim's data.
  await organisation(world, 'qz-victim')
  await panelOf(world, 'qz-panel', 'qz-victim', [{ agent_id: 'qz-agent', base: 'qz-model' }])
  await say(world, 'qz-panel', [{ agent_id: 'qz-agent', from_day: '2025-01-01', custom: { 'qz-key': 'qz-value' } }])
  for (const test of ['httpget', 'ping'])
    await storeFacts(world, test, [{ agent: 'qz-agent', dtime: '2026-01-05 00:00:00.000', target: 'qz-target' }])
  const saved = await exchange(attacked.service.addresses.api, `/questions/${questionKey}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${attacked.everything}`, 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(question)),
  })
  expect(saved?.status, saved?.text).toBe(200)
}, 120_000)
afterAll(() => attacked.world.close(), 60_000)

/**
 * Injects the text at one position. Returns true if the attempt counts towards the number of requests that the attack
 * must send. An attempt does not count if a limit of the service refused it.
 */
async function attack(text: string, index: number): Promise<boolean> {
  const position = positions[index % positions.length]
  if (position === undefined) throw new Error('there are no positions')
  const { operation, path, headers, body } = position.inject(text)
  const { api, ingest } = attacked.service.addresses
  const answer = await exchange(operation.includes('ingest') ? ingest : api, path, {
    method: operation.split(' ')[0] ?? 'GET',
    headers: { authorization: `Bearer ${attacked.everything}`, ...headers },
    body: body === null ? null : Buffer.from(body),
  })
  const said = `${index}: ${position.name} ${JSON.stringify(text)} → ${answer?.status} ${answer?.text.slice(0, 300)}`
  tally.count(String(answer?.status ?? 'closed'))
  if (answer === null) {
    tally.breach('Z10', position.name, said)
    return false
  }
  if (answer.status >= 500) tally.breach('Z3', position.name, said)
  if (answer.milliseconds > 31_000) tally.breach('Z8', position.name, said)
  const faults = answerFaults(operation, answer.status, parsedJson(answer.text))
  if (faults.length > 0)
    tally.breach('Z10', `${position.name}: ${answer.status} not by the document`, `${faults[0]}, ${said}`)
  if (hasSecret(answer.text)) tally.breach('Z6', `${position.name}: a secret`, said)
  if (answer.text.includes('qz-')) tally.breach('Z4', position.name, said)
  // A response with messages of the stores would help an attacker.
  if (/DB::Exception|Code: \d+|syntax error at|SQLSTATE|at \S+\.ts:\d/.test(answer.text.replaceAll(text, '')))
    tally.breach('Z6', `${position.name}: the inside shows`, said)
  return isCounted(answer.status)
}

/** All data of the victim and the names of all tables. An injection must not change them. */
async function victimState(): Promise<string> {
  const { world } = attacked
  const [node] = world.engine('ADMIN').nodes
  const ask = async (query: string) => (await (await node?.query({ query, format: 'TabSeparated' }))?.text()) ?? ''
  return JSON.stringify([
    await ask(`SELECT name FROM system.tables WHERE database = '${world.name}' ORDER BY name`),
    ...(await Promise.all(
      ['httpget', 'ping'].map((test) => ask(`SELECT * FROM ${world.name}.${test} WHERE target = 'qz-target'`)),
    )),
    await runSql(
      world.superuserUrl,
      `SELECT c.* FROM agents a JOIN current_metadata c ON c.agent_id = a.id WHERE a.agent_id = 'qz-agent'`,
    ),
    // Leave out partitions: the audit trail creates a partition at the first query of a month.
    await runSql(
      world.superuserUrl,
      `SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition ORDER BY relname`,
    ),
  ])
}

it('the cursors that the attack alters are right but for the state of the metadata', async () => {
  const unaltered = positions.filter(({ name }) => name.endsWith('unaltered'))
  expect(unaltered.length).toBe(3)
  for (const { inject } of unaltered) {
    const { path, headers, body } = inject('')
    const answer = await exchange(attacked.service.addresses.api, path, {
      method: 'POST',
      headers: { authorization: `Bearer ${attacked.everything}`, ...headers },
      body: Buffer.from(body ?? ''),
    })
    expect(answer?.status, answer?.text).toBe(409)
  }
})

it(
  `${requests} injection strings at ${positions.length} positions change and show nothing`,
  { timeout: 3_600_000 },
  async () => {
    expect(positions.length).toBeGreaterThan(100)
    const before = await victimState()
    const dice = rollDice(seed)
    const first = dice.between(0, positions.length)
    const counted = await untilCounted({
      wanted: requests,
      atOnce,
      next: (made, missing) => injectionStrings(made + missing).slice(made),
      attack: (text, index) => attack(text, first + index),
    })
    if ((await victimState()) !== before) tally.breach('Z2', 'something of the victim was changed', '')
    lookForZeros(tally, attacked.world, [attacked.everything])
    tally.report(counted)
    expect(tally.sorts(), `seed ${seed}`).toEqual([])
  },
)
