import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { consoleDocument } from '../../../src/http/console-api/document.ts'
import { redirectPaths } from '../../../src/http/console-api/mount-redirects.ts'
import { consoleRoutes, sessionRoutes } from '../../../src/http/console-api/routes/index.ts'
import { call } from '../../kit/call.ts'
import { organisation, panel, token } from '../../kit/panels.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { documentChecks } from '../../http/openapi/document-checks.ts'
import { ask, cookieOf, user } from './people-world.ts'

const document = consoleDocument({ url: '.' })
const { documented, answerFaults, requestFaults } = documentChecks(document)

let world: World
let base: string

beforeAll(async () => {
  world = await openWorld()
  await organisation(world, 'north')
  await panel(world, 'homes', 'north', ['whitebox'])
  base = (await world.serve()).addresses.api
})
afterAll(() => world.close())

it('is OpenAPI 3.1, served without a session, with every route of the console and no other', async () => {
  const { text } = await call(`${base}/console/api/openapi.json`)
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(document)))
  const result = await new Validator().validate(structuredClone(document))
  expect(result.errors ?? []).toEqual([])
  const served = [
    ...[...sessionRoutes, ...consoleRoutes].map(({ method, path }) => `${method} ${path}`),
    ...redirectPaths.map((path) => `GET ${path}`),
  ]
  expect([...documented.keys()].toSorted()).toEqual(served.map((one) => one.replaceAll(/:(\w+)/g, '{$1}')).toSorted())
})

it('describes real requests and responses, failures too', async () => {
  const { password } = await user(world, 'north', 'ada', 'administrator')
  let cookie = ''
  const check = async (operation: string, { body, path }: { body?: unknown; path?: string } = {}) => {
    const [method = '', route = ''] = operation.split(' ')
    const answer = await ask(base, path ?? route, { method, cookie, ...(body === undefined ? {} : { body }) })
    expect([operation, answer.status, answerFaults(operation, answer.status, answer.body)]).toEqual([
      operation,
      answer.status,
      [],
    ])
    // The document and the service must agree on whether the body is valid.
    if (body !== undefined) expect(requestFaults(operation, body).length > 0).toBe(answer.status === 422)
    return answer
  }
  await check('GET /sign-in')
  await check('GET /session')
  await check('POST /session', { body: { name: 'ada' } })
  await check('POST /session', { body: { name: 'ada', password: 'x' } })
  cookie = cookieOf(await check('POST /session', { body: { name: 'ada', password } }))
  await check('GET /session')
  await check('POST /session/token')
  for (const body of [
    { label: 'x', scopes: [] },
    { label: 'x', scopes: ['data:read'], expires_at: null },
    { label: 1 },
  ]) {
    await check('POST /tokens', { body })
  }
  const { body: listed } = await check('GET /tokens')
  const [{ id } = { id: 0 }] = listed['data'] as { id: number }[]
  await check('DELETE /tokens/{id}', { path: `/tokens/${id}` })
  await check('DELETE /tokens/{id}', { path: '/tokens/0' })
  await check('PUT /password', { body: { current: password, new: 'short' } })
  await check('PUT /password', { body: { current: password, new: 'long enough to do' } })
  await check('DELETE /session')
})

it('describes the refusal of a body that is too large or not JSON, also for routes without a body', async () => {
  const { password } = await user(world, 'north', 'eve', 'administrator')
  const cookie = cookieOf(await ask(base, '/session', { method: 'POST', body: { name: 'eve', password } }))
  for (const operation of ['POST /session', 'POST /session/token', 'DELETE /tokens/{id}', 'DELETE /session']) {
    const [method = '', path = ''] = operation.replace('{id}', '0').split(' ')
    const post = (type: string, body: string) =>
      call(`${base}/console/api${path}`, {
        method,
        headers: { cookie, 'x-broadgauge-console': '1', 'content-type': type },
        body,
      })
    const answers = [await post('text/plain', 'x'), await post('application/json', `"${'x'.repeat(40_000)}"`)]
    expect([operation, ...answers.map(({ status }) => status)]).toEqual([operation, 415, 413])
    for (const { status, body } of answers) expect(answerFaults(operation, status, body)).toEqual([])
  }
})

it('describes what a token gives access to', async () => {
  const secret = await token(world, 'north', ['data:read', 'metadata:read'])
  for (const [operation, path] of [
    ['GET /panels', '/panels'],
    ['GET /downloads', '/downloads?limit=5'],
    ['GET /downloads', '/downloads?limit=0'],
    ['GET /agents', '/agents?search=homes'],
    ['GET /agents', '/agents'],
    ['GET /questions', '/questions'],
    ['GET /questions/{key}', '/questions/nothing'],
    ['GET /questions/{key}/data', '/questions/nothing/data?version=x'],
  ] as const) {
    const { status, body } = await call(`${base}/console/api${path}`, { token: `Bearer ${secret}` })
    expect([path, answerFaults(operation, status, body)]).toEqual([path, []])
  }
})
