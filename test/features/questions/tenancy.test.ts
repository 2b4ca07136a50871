import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TokenScope } from '../../../src/base/caller.ts'
import { roles } from '../../../src/base/person.ts'
import type { Caller } from '../../../src/base/caller.ts'
import { changeAsTenant } from '../../../src/engine/postgres/as-tenant.ts'
import { openPostgres } from '../../../src/engine/postgres/postgres.ts'
import { createLink, findLinks, removeLink } from '../../../src/engine/postgres/questions/links.ts'
import {
  findQuestions,
  findVersions,
  readQuestion,
  removeQuestion,
  saveQuestion,
} from '../../../src/engine/postgres/questions/questions.ts'
import { changeRole } from '../../../src/engine/postgres/operator/users.ts'
import { consoleDocument } from '../../../src/http/console-api/document.ts'
import { call } from '../../kit/call.ts'
import { token } from '../../kit/panels.ts'
import { onDatabase, runSql } from '../../kit/run-sql.ts'
import { document, documented } from '../../http/openapi/document.ts'
import { documentChecks } from '../../http/openapi/document-checks.ts'
import { signIn, tokenOf, user } from '../people/people-world.ts'
import { openQuestionWorld, question, storedQuestions, type QuestionWorld } from './question-world.ts'

let world: QuestionWorld

/** Tokens of `north` and `south`, by what they are: a role of a person, or the scopes of a program. */
const tokens = new Map<string, { secret: string; scopes: readonly TokenScope[] }>()
const programs: readonly TokenScope[][] = [
  ['data:read'],
  ['questions:write'],
  ['metadata:read', 'metadata:write', 'ingest:write'],
]
const scopesOf: Record<string, readonly TokenScope[]> = {
  administrator: ['data:read', 'metadata:read', 'metadata:write', 'questions:write'],
  analyst: ['data:read', 'metadata:read', 'questions:write'],
  viewer: ['data:read', 'metadata:read'],
}

beforeAll(async () => {
  world = await openQuestionWorld()
  for (const who of ['north', 'south']) {
    for (const role of roles) {
      const { password } = await user(world.world, who, `${who}-${role}`, role)
      const cookie = await signIn(world.base, `${who}-${role}`, password)
      tokens.set(`${who} ${role}`, { secret: await tokenOf(world.base, cookie), scopes: scopesOf[role] ?? [] })
    }
    for (const scopes of programs) {
      tokens.set(`${who} ${scopes.join()}`, { secret: await token(world.world, who, scopes), scopes })
    }
  }
})
afterAll(() => world.world.close())

type Operation = { readonly method: string; readonly path: string; readonly scopes: readonly string[] }

/** The operations on questions of an OpenAPI document, with the scopes that their descriptions name. */
function operationsIn(checks: ReturnType<typeof documentChecks>): Operation[] {
  return [...checks.documented]
    .filter(([operation]) => operation.includes('/questions'))
    .map(([operation, described]) => {
      const [method = '', path = ''] = operation.split(' ')
      const { description } = described as unknown as { description: string }
      const scopes = [/with the scope `([^`]+)`/, /also needs the scope `([^`]+)`/].map(
        (one) => one.exec(description)?.[1],
      )
      return { method, path, scopes: scopes.filter((scope) => scope !== undefined) }
    })
}

const interfaces = [
  { name: 'the data interface', prefix: '', checks: documentChecks(document) },
  { name: 'the console API', prefix: '/console/api', checks: documentChecks(consoleDocument({ url: '.' })) },
]

const send = (method: string, path: string, secret: string) =>
  call(`${world.base}${path}`, {
    method,
    token: `Bearer ${secret}`,
    ...(method === 'PUT' || method === 'POST'
      ? {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(method === 'PUT' ? { ...question, name: 'Changed' } : { label: 'new' }),
        }
      : {}),
  })

/** The ids of the links of planted questions: the caller's own, that of the other's question, and an unknown one. */
type Planted = Readonly<Record<'own' | 'foreign' | 'unknown', number>>

/** Everything that is stored about questions and their links. */
const stored = async (): Promise<object[]> => [
  ...(await storedQuestions(world.world)),
  ...(await runSql(world.world.superuserUrl, 'SELECT * FROM question_links ORDER BY id')),
]

/** Leaves three questions with a link each: one of each organisation with the same key, and one that only `other` has. */
async function plant(other: 'north' | 'south'): Promise<Planted> {
  await runSql(world.world.superuserUrl, 'DELETE FROM questions')
  const save = async (owner: 'north' | 'south', key: string, name: string): Promise<number> => {
    const body = { ...question, name }
    expect((await world.send('PUT', `/questions/${key}`, { token: world.tokens[owner], body })).status).toBe(200)
    const link = { token: world.tokens[owner], body: { label: name } }
    const { body: shared } = await world.send('POST', `/questions/${key}/links`, link)
    return (shared['data'] as { id: number }).id
  }
  const [north, south, foreign] = await Promise.all([
    save('north', 'own', 'of north'),
    save('south', 'own', 'of south'),
    save(other, 'foreign', 'of the other'),
  ])
  return { own: other === 'south' ? north : south, foreign, unknown: 999_999 }
}

describe.each(interfaces)('$name', ({ prefix, checks }) => {
  it('has the same nine operations', () => {
    expect(operationsIn(checks)).toHaveLength(9)
    expect(operationsIn(checks)).toEqual(operationsIn({ ...checks, documented }))
  })

  it('does for each role and scope what the document says, and for no other organisation', async () => {
    for (const { method, path, scopes: needed } of operationsIn(checks)) {
      for (const [as, { secret, scopes }] of tokens) {
        const [who = ''] = as.split(' ')
        const other = who === 'north' ? 'south' : 'north'
        const links = await plant(other)
        const before = await stored()
        const answerTo = (key: keyof Planted, link = key) =>
          send(method, `${prefix}${path.replace('{key}', key).replace('{id}', String(links[link]))}`, secret)
        const isAllowed = needed.every((scope) => scopes.includes(scope as TokenScope))
        const what = `${as}: ${method} ${path}`
        const foreign =
          path.includes('{key}') && method !== 'PUT' ? [await answerTo('foreign'), await answerTo('unknown')] : []
        // The link of another question, below the caller's own question.
        if (path.includes('{id}')) foreign.push(await answerTo('own', 'foreign'))
        expect([what, foreign.map(({ status }) => status)]).toEqual([what, foreign.map(() => (isAllowed ? 404 : 403))])
        expect(new Set(foreign.map(({ text }) => text)).size).toBeLessThan(2)
        expect(await stored()).toEqual(before)
        const own = await answerTo('own')
        expect([what, own.status]).toEqual([what, isAllowed ? 200 : 403])
        expect(own.text).not.toContain(`of ${other}`)
        expect(own.text).not.toContain('of the other')
        const changed = (await stored()) as { organisation_id: number }[]
        if (method === 'GET' || !isAllowed) expect(changed).toEqual(before)
        else {
          const ofOther = (rows: readonly object[]) =>
            rows.filter((row) => (row as { organisation_id: number }).organisation_id === ids[other])
          expect(ofOther(changed)).toEqual(ofOther(before))
          expect(changed).not.toEqual(before)
        }
      }
    }
  }, 240_000)
})

let ids: Record<string, number> = {}
beforeAll(async () => {
  const rows = await runSql<{ id: number; key: string }>(world.world.superuserUrl, 'SELECT id, key FROM organisations')
  ids = Object.fromEntries(rows.map(({ id, key }) => [key, id]))
})

it('names a person who changed a question by name, and follows a change of role', async () => {
  await runSql(world.world.superuserUrl, 'DELETE FROM questions')
  const { password } = await user(world.world, 'north', 'vera', 'viewer')
  const secret = await tokenOf(world.base, await signIn(world.base, 'vera', password))
  expect((await send('PUT', '/questions/of-vera', secret)).status).toBe(403)
  await world.world.operate((operator) => changeRole(operator, 'vera', 'analyst'))
  expect((await send('PUT', '/questions/of-vera', secret)).status).toBe(200)
  await world.world.operate((operator) => changeRole(operator, 'vera', 'viewer'))
  expect((await send('DELETE', '/questions/of-vera', secret)).status).toBe(403)
  expect((await send('GET', '/questions/of-vera', secret)).body['data']).toMatchObject({
    changed_by: { kind: 'person', name: 'vera' },
  })
})

/**
 * Defence in depth: each layer separates the organisations without the other. A superuser is not subject to row-level security,
 * so only the conditions of the statements remain.
 */
describe('each layer alone separates the organisations', () => {
  const key = 'shared-key'
  beforeAll(async () => {
    await runSql(world.world.superuserUrl, 'DELETE FROM questions')
    for (const owner of ['north', 'south'] as const) {
      const body = { ...question, name: `of ${owner}` }
      await world.send('PUT', `/questions/${key}`, { token: world.tokens[owner], body })
      await world.send('POST', `/questions/${key}/links`, {
        token: world.tokens[owner],
        body: { label: `of ${owner}` },
      })
    }
    await world.send('PUT', '/questions/only-south', { token: world.tokens.south, body: question })
  })

  it('the conditions of the statements', async () => {
    const postgres = openPostgres({ url: world.world.superuserUrl, connectionsMax: 2, observe: () => {} })
    try {
      const [row] = await runSql<{ id: number }>(
        world.world.superuserUrl,
        'SELECT min(id) AS id FROM tokens WHERE organisation_id = $1',
        [ids['north']],
      )
      const north: Caller = {
        organisationId: ids['north'] ?? 0,
        organisationKey: 'north',
        tokenId: row?.id ?? 0,
        tokenScopes: ['questions:write'],
      }
      const before = (await storedQuestions(world.world)).filter(isOfSouth)
      expect((await findQuestions(north, postgres)).map(({ name }) => name)).toEqual(['of north'])
      expect(await readQuestion(north, postgres, key, null)).toMatchObject({ name: 'of north', version: 1 })
      expect(await readQuestion(north, postgres, 'only-south', null)).toBeNull()
      expect(await findVersions(north, postgres, 'only-south')).toEqual([])
      expect(await findLinks(north, postgres, 'only-south')).toBeNull()
      expect((await findLinks(north, postgres, key))?.map(({ label }) => label)).toEqual(['of north'])
      const asked = { label: 'x', expiresAt: null, password: null }
      expect(
        await changeAsTenant(north, postgres, (client) => createLink(north, client, 'only-south', asked, null)),
      ).toBeNull()
      const [link] = await runSql<{ id: number }>(
        world.world.superuserUrl,
        `SELECT id FROM question_links WHERE label = 'of south'`,
      )
      expect(await changeAsTenant(north, postgres, (client) => removeLink(north, client, key, link?.id ?? 0))).toBe(
        false,
      )
      const content = { name: 'x', description: '', request: {}, parameters: [], chart: null, tags: [] }
      expect(await changeAsTenant(north, postgres, (client) => saveQuestion(north, client, key, content))).toBe(2)
      expect(await changeAsTenant(north, postgres, (client) => removeQuestion(north, client, 'only-south'))).toBe(false)
      expect(await changeAsTenant(north, postgres, (client) => removeQuestion(north, client, key))).toBe(true)
      expect((await storedQuestions(world.world)).filter(isOfSouth)).toEqual(before)
    } finally {
      await postgres.close()
    }
  })

  const addLink = `INSERT INTO question_links (question_id, organisation_id, token_id, label, visible_part, sha256)
    VALUES ($1, $2, $3, 'x', 'bgq_0000', sha256(random()::text::bytea)) RETURNING id`

  const isOfSouth = (row: object): boolean => (row as { organisation_id: number }).organisation_id === ids['south']

  it('row-level security', async () => {
    const service = onDatabase(world.world.environment['BROADGAUGE_POSTGRES_URL'] ?? '', world.world.name)
    const postgres = openPostgres({ url: service, connectionsMax: 2, observe: () => {} })
    try {
      const north = { organisationId: ids['north'] ?? 0 }
      const south = (await storedQuestions(world.world)).find(isOfSouth) as { question_id: number; token_id: number }
      const asNorth = (text: string, values: unknown[] = []) =>
        changeAsTenant(north, postgres, async (client) => (await client.query(text, values)).rowCount)
      expect(await asNorth(`SELECT FROM questions WHERE key = 'only-south'`)).toBe(0)
      expect(await asNorth('SELECT FROM question_versions WHERE question_id = $1', [south.question_id])).toBe(0)
      expect(await asNorth(`DELETE FROM questions WHERE key = 'only-south'`)).toBe(0)
      expect(await asNorth(`UPDATE questions SET version = 9 WHERE key = 'only-south'`)).toBe(0)
      const insert = `INSERT INTO question_versions (question_id, organisation_id, version, name, description, request, parameters,
        tags, token_id) VALUES ($1, $2, 7, '', '', '{}', '{}', '{}', $3)`
      await expect(asNorth(insert, [south.question_id, ids['south'], south.token_id])).rejects.toThrow(
        'row-level security',
      )
      await expect(asNorth(insert, [south.question_id, ids['north'], south.token_id])).rejects.toThrow('foreign key')
      await expect(asNorth(`UPDATE question_versions SET name = ''`)).rejects.toThrow('permission denied')
      await expect(asNorth('DELETE FROM question_versions')).rejects.toThrow('permission denied')
      expect((await postgres.pool.query('SELECT FROM questions')).rowCount).toBe(0)
      const [link] = await runSql<{ id: number }>(world.world.superuserUrl, addLink, [
        south.question_id,
        ids['south'],
        south.token_id,
      ])
      expect(await asNorth('SELECT id FROM question_links WHERE id = $1', [link?.id])).toBe(0)
      expect(await asNorth('DELETE FROM question_links WHERE id = $1', [link?.id])).toBe(0)
      await expect(asNorth(addLink, [south.question_id, ids['south'], south.token_id])).rejects.toThrow(
        'row-level security',
      )
      await expect(asNorth(addLink, [south.question_id, ids['north'], south.token_id])).rejects.toThrow('foreign key')
      await expect(asNorth('UPDATE question_links SET expires_at = NULL')).rejects.toThrow('permission denied')
      await expect(asNorth('SELECT sha256 FROM question_links')).rejects.toThrow('permission denied')
      await expect(asNorth('SELECT password_hash FROM question_links')).rejects.toThrow('permission denied')
    } finally {
      await postgres.close()
    }
  })
})
