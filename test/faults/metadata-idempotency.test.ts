import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Service } from '../../src/serve/wiring/service.ts'
import { call, type Answer } from '../kit/call.ts'
import { runSql } from '../kit/run-sql.ts'
import { openWorld, type World } from '../kit/world.ts'
import { until } from './attempt.ts'
import { metadataPanel, registerAgents, type MetadataPanel } from './metadata-panel.ts'

let world: World
let service: Service
let acme: MetadataPanel
let other: MetadataPanel

beforeAll(async () => {
  world = await openWorld()
  acme = await metadataPanel(world, 'acme', 1, 3)
  other = await metadataPanel(world, 'other', 11, 1)
  service = await world.serve()
})
afterAll(() => world.close())

/** Every test uses its own key and values, so that tests do not affect each other. */
let number = 0
let key: string
beforeEach(() => {
  number += 1
  key = `key-${number}`
})

const change = (unit: number, mark: string) => ({ agent: { unit_id: unit }, metadata: { custom: { mark } } })

const put = (body: unknown, idempotencyKey: string, token = acme.token): Promise<Answer> =>
  call(`${service.addresses.api}/metadata`, {
    method: 'PUT',
    token,
    headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

const statusAndBody = ({ status, text }: Answer): [number, string] => [status, text]

async function events(mark: string): Promise<number> {
  const text = `SELECT count(*)::integer AS events FROM metadata_events
                WHERE kind = 'change' AND request #>> '{metadata,custom,mark}' = $1`
  return (await runSql<{ events: number }>(world.superuserUrl, text, [mark]))[0]?.events ?? -1
}

async function readMark(unit: number, token = acme.token): Promise<string | undefined> {
  const answer = await call(`${service.addresses.api}/metadata/unit/${unit}`, { token })
  return (answer.body['data'] as { custom: { mark?: string } }).custom.mark
}

const storedKeys = async (): Promise<number> =>
  (await runSql<{ keys: number }>(world.superuserUrl, 'SELECT count(*)::integer AS keys FROM idempotency_keys'))[0]
    ?.keys ?? -1

const keyRefused = {
  code: 'VALIDATION_FAIL',
  message: 'Validation failed',
  errors: { 'Idempotency-Key': [expect.any(String)] },
}

describe('the same key again', () => {
  it('with the same body: the same answer, one event, also after others changed the agent', async () => {
    const first = await put(change(1, key), key)
    expect(first).toMatchObject({ status: 200, body: { code: 'OK' } })
    expect((await put(change(1, `${key}-later`), `${key}-later`)).status).toBe(200)
    const second = await put(change(1, key), key)
    expect(statusAndBody(second)).toEqual(statusAndBody(first))
    expect([await events(key), await readMark(1)]).toEqual([1, `${key}-later`])
  })

  it('without any body: refused, not an internal error', async () => {
    expect((await put(change(1, key), key)).status).toBe(200)
    const options = { method: 'PUT', token: acme.token, headers: { 'idempotency-key': key } }
    const answer = await call(`${service.addresses.api}/metadata`, options)
    expect(answer).toMatchObject({ status: 422, body: keyRefused })
  })

  it('for a dry run: it runs, and the key stays that of the change', async () => {
    expect((await put(change(1, key), key)).status).toBe(200)
    const trial = await put({ ...change(1, `${key}-other`), dry_run: true }, key)
    expect(trial).toMatchObject({ status: 200, body: { data: { matched: 1 } } })
    expect((await put(change(1, key), key)).status).toBe(200)
    expect([await events(key), await readMark(1)]).toEqual([1, key])
  })

  it('with the same body in other white space: the same answer, one event', async () => {
    const first = await put(change(1, key), key)
    const second = await put(JSON.stringify(change(1, key), null, 2), key)
    expect(statusAndBody(second)).toEqual(statusAndBody(first))
    expect(await events(key)).toBe(1)
  })

  it('with another body: 422 that names the header, and nothing is changed', async () => {
    expect((await put(change(1, key), key)).status).toBe(200)
    const refused = await put(change(1, `${key}-other`), key)
    expect([refused.status, refused.body]).toEqual([422, keyRefused])
    expect([await events(`${key}-other`), await readMark(1)]).toEqual([0, key])
    expect((await put(change(1, key), key)).status).toBe(200)
  })

  it('by another organisation: a separate key', async () => {
    expect((await put(change(1, key), key)).status).toBe(200)
    expect((await put(change(11, `${key}-theirs`), key, other.token)).status).toBe(200)
    expect([await readMark(1), await readMark(11, other.token)]).toEqual([key, `${key}-theirs`])
    expect((await put(change(1, key), key)).status).toBe(200)
    expect((await put(change(11, `${key}-theirs`), key, other.token)).status).toBe(200)
    expect([await events(key), await events(`${key}-theirs`)]).toEqual([1, 1])
  })

  it('by twenty concurrently: one event, and each gets the same answer or is asked to wait', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => put(change(1, key), key)))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.every((status) => status === 200 || status === 409)).toBe(true)
    expect(statuses).toContain(200)
    expect(await events(key)).toBe(1)
  })
})

it('the same key and body again after the last moment of its backdate: the same answer', async () => {
  const secondsLeft = 5
  const backdate = Math.floor(Date.now() / 1000) - 28 * 86_400 + secondsLeft
  const body = { ...change(3, key), backdate_from: backdate }
  const first = await put(body, key)
  expect(first.status).toBe(200)
  await until(async () => Date.now() / 1000 > backdate + 28 * 86_400 + 1, 20_000)
  // The service refuses a new request with this day, because the day is too long ago. A retry with the old key only
  // asks for the outcome.
  expect((await put(body, `${key}-new`)).status).toBe(422)
  expect(statusAndBody(await put(body, key))).toEqual(statusAndBody(first))
  expect(await events(key)).toBe(1)
})

it('without a key: a change each time it is sent', async () => {
  const url = `${service.addresses.api}/metadata`
  const headers = { 'content-type': 'application/json' }
  const send = () =>
    call(url, { method: 'PUT', token: acme.token, headers, body: JSON.stringify(change(1, `mark-${number}`)) })
  expect([(await send()).status, (await send()).status]).toEqual([200, 200])
  expect(await events(`mark-${number}`)).toBe(2)
})

/** Runs `work` while another connection holds a lock on the agent's row, so that a change of the agent has to wait. */
async function whileHeld(unit: number, work: () => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: world.superuserUrl })
  await client.connect()
  try {
    await client.query('BEGIN')
    const text = `SELECT FROM current_metadata WHERE agent_id = (SELECT id FROM agents WHERE unit_id = $1) FOR UPDATE`
    expect((await client.query(text, [unit])).rowCount).toBe(1)
    await work()
  } finally {
    await client.end()
  }
}

const waitingChanges = async (): Promise<number> =>
  (
    await runSql<{ waiting: number }>(
      world.superuserUrl,
      `SELECT count(*)::integer AS waiting FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND application_name = 'broadgauge'`,
    )
  )[0]?.waiting ?? -1

describe('while the first request with a key is still running', () => {
  it('the second is asked to try again; afterwards both have the same answer and there is one event', async () => {
    let first: Promise<Answer> | undefined
    await whileHeld(2, async () => {
      first = put(change(2, key), key)
      await until(async () => (await waitingChanges()) === 1, 10_000)
      const second = await put(change(2, key), key)
      expect([second.status, second.body['code']]).toEqual([409, 'CONFLICT'])
      expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(second.body).not.toHaveProperty('errors')
    })
    const answer = await first
    expect(answer?.status).toBe(200)
    const third = await put(change(2, key), key)
    expect(statusAndBody(third)).toEqual([answer?.status, answer?.text])
    expect([await events(key), await readMark(2)]).toEqual([1, key])
  })

  it('other keys, other agents and other organisations do not wait', async () => {
    let first: Promise<Answer> | undefined
    await whileHeld(2, async () => {
      first = put(change(2, key), key)
      await until(async () => (await waitingChanges()) === 1, 10_000)
      expect((await put(change(1, `${key}-one`), `${key}-one`)).status).toBe(200)
      expect((await put(change(11, `${key}-theirs`), key, other.token)).status).toBe(200)
    })
    expect((await first)?.status).toBe(200)
  })
})

describe('the outcomes that a key keeps', () => {
  it('no agent matched: 404 again, although there is one by now', async () => {
    const unit = 900_000 + number
    const first = await put(change(unit, key), key)
    expect([first.status, first.body['code']]).toEqual([404, 'NOT_FOUND'])
    await registerAgents(world, 'acme', [unit])
    const second = await put(change(unit, key), key)
    expect(statusAndBody(second)).toEqual(statusAndBody(first))
    expect([await events(key), await readMark(unit)]).toEqual([0, undefined])
    expect((await put(change(unit, key), `${key}-new`)).status).toBe(200)
    expect(await readMark(unit)).toBe(key)
  })

  it.each([
    ['by its form', { agent: {}, metadata: { custom: { mark: 'x' } } }],
    ['by a name that does not exist', { agent: { unit_id: 1 }, metadata: { package: 'Nobody:Nothing' } }],
    ['as no JSON at all', '{'],
  ])('not a request refused %s', async (_how, refusedBody) => {
    const keysBefore = await storedKeys()
    const refused = await put(refusedBody, key)
    expect([refused.status, refused.body['code']]).toEqual([422, 'VALIDATION_FAIL'])
    expect(await storedKeys()).toBe(keysBefore)
    expect((await put(change(1, key), key)).status).toBe(200)
    expect([await events(key), await readMark(1)]).toEqual([1, key])
  })
})

describe('the form of a key', () => {
  it.each([
    ['empty', ''],
    ['of 256 characters', 'k'.repeat(256)],
    ['with a space', 'a b'],
    ['with a letter that is not ASCII', 'clé'],
    ['with a tab', 'a\tb'],
  ])('%s: 422 that names the header, and nothing is changed', async (_form, malformed) => {
    const keysBefore = await storedKeys()
    const markBefore = await readMark(1)
    const refused = await put(change(1, `${key}-malformed`), malformed)
    expect([refused.status, refused.body]).toEqual([422, keyRefused])
    expect([await storedKeys(), await events(`${key}-malformed`), await readMark(1)]).toEqual([
      keysBefore,
      0,
      markBefore,
    ])
  })

  it.each([
    ['of one character', '!'],
    ['of 255 characters', '~'.repeat(255)],
  ])('%s: accepted', async (_form, wellFormed) => {
    expect((await put(change(1, key), wellFormed)).status).toBe(200)
    expect((await put(change(1, key), wellFormed)).status).toBe(200)
    expect(await events(key)).toBe(1)
  })
})

describe('the age of a key', () => {
  const makeOlder = (minutes: number) =>
    runSql(
      world.superuserUrl,
      `UPDATE idempotency_keys SET created_at = created_at - make_interval(mins => $2) WHERE key = $1`,
      [key, minutes],
    )

  it('just under 24 hours: it still stands for its first request', async () => {
    const first = await put(change(1, key), key)
    await makeOlder(24 * 60 - 1)
    expect(statusAndBody(await put(change(1, key), key))).toEqual(statusAndBody(first))
    expect((await put(change(1, `${key}-other`), key)).status).toBe(422)
    expect([await events(key), await events(`${key}-other`)]).toEqual([1, 0])
  })

  it('over 24 hours: it is free for another request, and then stands for that one', async () => {
    expect((await put(change(1, key), key)).status).toBe(200)
    await makeOlder(24 * 60 + 1)
    const afresh = await put(change(1, `${key}-other`), key)
    expect([afresh.status, afresh.body['code']]).toEqual([200, 'OK'])
    expect(await readMark(1)).toBe(`${key}-other`)
    expect(statusAndBody(await put(change(1, `${key}-other`), key))).toEqual(statusAndBody(afresh))
    expect((await put(change(1, key), key)).status).toBe(422)
    expect([await events(key), await events(`${key}-other`)]).toEqual([1, 1])
  })

  it('over 24 hours: the same request is a new one', async () => {
    expect((await put(change(1, key), key)).status).toBe(200)
    await makeOlder(24 * 60 + 1)
    expect((await put(change(1, key), key)).status).toBe(200)
    expect(await events(key)).toBe(2)
  })
})
