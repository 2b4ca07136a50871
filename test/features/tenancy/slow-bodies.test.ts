import { request as httpRequest, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { limits } from '../../../src/base/limits.ts'
import { changeSubscription } from '../../../src/engine/postgres/operator/panels.ts'
import { pause } from '../../faults/attempt.ts'
import { ndjson, openIngestWorld, ping, type IngestWorld } from '../../ingest/ingest-world.ts'
import { token } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { readOut } from '../../kit/stream-call.ts'
import { ask, signIn, user } from '../people/people-world.ts'

let ingest: IngestWorld

beforeAll(async () => {
  ingest = await openIngestWorld()
})
afterAll(() => ingest.world.close())

type Slow = { method?: string; headers: Record<string, string>; body: string; meanwhile: () => Promise<unknown> }

/**
 * Sends a body without its last byte and runs `meanwhile`. Sends the last byte so late that the service has to read the
 * identity of the caller again.
 */
async function sendSlowly(url: string, { method = 'POST', headers, body, meanwhile }: Slow) {
  const answered = Promise.withResolvers<IncomingMessage>()
  const request = httpRequest(url, {
    method,
    agent: false,
    headers: { 'content-type': 'application/json', ...headers, 'content-length': Buffer.byteLength(body) },
  })
  request.once('response', answered.resolve)
  request.once('error', answered.reject)
  request.write(body.slice(0, -1))
  // Wait until the service has read the identity of the caller.
  await pause(300)
  await meanwhile()
  await pause(2 * limits.identityMsMax)
  request.end(body.slice(-1))
  const { status, bytes } = await readOut(await answered.promise)
  return { status, text: bytes.toString('utf8') }
}

const denied = { status: 403, text: '{"code":"ACCESS_DENIED","message":"Access Denied"}' }
const records = { test: 'ping', date: { from: '2026-01', to: '2026-01' } }

it.each([
  ['a question', 'api', '/test_data', 'POST', JSON.stringify(records), 'data:read'],
  [
    'a change',
    'api',
    '/metadata',
    'PUT',
    '{"agent":{"agent_id":"wb-1"},"metadata":{"timezone":"Europe/London"}}',
    'metadata:write',
  ],
  ['a delivery', 'ingest', '/ingest/ping', 'POST', ndjson([ping({ agent_id: 'wb-1' })]), 'ingest:write'],
] as const)('a token revoked while the body of %s is sent is refused', async (...given) => {
  const [, listener, path, method, body, scope] = given
  const { world, service } = ingest
  const { [listener]: address } = service.addresses
  const headers = {
    authorization: `${scope === 'data:read' ? '' : 'Bearer '}${await token(world, 'acme', [scope])}`,
    ...(listener === 'ingest' ? { 'content-type': 'application/x-ndjson' } : {}),
  }
  const send = (meanwhile: () => Promise<unknown>, said: string = body) =>
    sendSlowly(`${address}${path}`, { method, headers, body: said, meanwhile })
  const stored = async () => ({
    results: await ingest.stored('ping'),
    changes: await runSql(world.superuserUrl, 'SELECT id FROM metadata_events'),
  })
  // The first request makes the token known to the instance. For the next requests, the service reads the grants before
  // the body has arrived.
  expect((await send(async () => {})).status).toBe(200)
  const before = await stored()
  const revoke = () =>
    runSql(world.superuserUrl, 'UPDATE tokens SET revoked_at = now() WHERE id = (SELECT max(id) FROM tokens)')
  // Send another result, because the service would not store the same result again in any case.
  expect(await send(revoke, body.replace('"successes":5', '"successes":6'))).toEqual(denied)
  expect(await stored()).toEqual(before)
})

it('a panel withdrawn while the body of a query is sent is not shown', async () => {
  const { world, service } = ingest
  const subscription = (subscribed: boolean) =>
    world.operate((operator) => changeSubscription(operator, { panel: 'homes', organisation: 'other', subscribed }))
  await subscription(true)
  const secret = await token(world, 'other')
  const send = (meanwhile: () => Promise<unknown>) =>
    sendSlowly(`${service.addresses.api}/test_data`, {
      headers: { authorization: secret },
      body: JSON.stringify({ ...records, panel: 'homes' }),
      meanwhile,
    })
  expect((await send(async () => {})).status).toBe(200)
  expect((await send(() => subscription(false))).status).toBe(422)
})

it('a session ended while the body of a token request is sent gets no token', async () => {
  const { world, service } = ingest
  const { api } = service.addresses
  const { password } = await user(world, 'acme', 'ada', 'administrator')
  const cookie = await signIn(api, 'ada', password)
  const make = (meanwhile: () => Promise<unknown>) =>
    sendSlowly(`${api}/console/api/tokens`, {
      headers: { cookie, 'x-broadgauge-console': '1' },
      body: JSON.stringify({ label: 'kept', scopes: ['data:read'] }),
      meanwhile,
    })
  expect((await make(async () => {})).status).toBe(200)
  expect((await make(() => ask(api, '/session', { method: 'DELETE', cookie }))).status).toBe(403)
  expect(await runSql(world.superuserUrl, `SELECT FROM tokens WHERE label = 'kept'`)).toHaveLength(1)
})
