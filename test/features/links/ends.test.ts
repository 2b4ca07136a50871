import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeEntitlements, changeFrameOrigins } from '../../../src/engine/postgres/operator/organisations.ts'
import { changeSubscription } from '../../../src/engine/postgres/operator/panels.ts'
import { revokeToken } from '../../../src/engine/postgres/operator/tokens.ts'
import { changeRole, disableUser } from '../../../src/engine/postgres/operator/users.ts'
import { purge } from '../../../src/engine/postgres/purge.ts'
import { openPostgres } from '../../../src/engine/postgres/postgres.ts'
import { token } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { ask, signIn, tokenOf, user } from '../people/people-world.ts'
import { bothScopes, question, request } from '../questions/question-world.ts'
import { endOf, openLinkWorld, type LinkWorld } from './link-world.ts'

/** A link dies at most this long after the right that it was made from. */
const endMsMax = 1_000

let world: LinkWorld

beforeAll(async () => {
  world = await openLinkWorld()
})
afterAll(() => world.world.close())

const idOf = async (secret: string): Promise<number> => {
  const [row] = await runSql<{ id: number }>(
    world.world.superuserUrl,
    'SELECT id FROM tokens WHERE sha256 = sha256($1::bytea)',
    [secret],
  )
  return row?.id ?? 0
}

const status = async (path: string): Promise<number> => (await world.visit(`${path}.json`)).status

const lend = (subscribed: boolean) =>
  world.world.operate((operator) =>
    changeSubscription(operator, { panel: 'south-homes', organisation: 'north', subscribed }),
  )

/** Ends a right, and expects that one link dies within a second of it while another one, made otherwise, stays. */
async function expectEnd(path: string, end: () => Promise<unknown>): Promise<void> {
  const other = await world.share()
  expect(await status(path)).toBe(200)
  await end()
  expect(await endOf(world, path)).toBeLessThan(endMsMax)
  expect((await world.visit(`${path}.csv`)).status).toBe(404)
  expect((await world.visit(path)).status).toBe(404)
  expect(await status(other)).toBe(200)
}

describe('a link ends with', () => {
  it('its revocation', async () => {
    const path = await world.share()
    const { body } = await world.send('GET', '/questions/speed/links')
    const [newest] = body['data'] as { id: number }[]
    await expectEnd(path, async () => {
      const revoked = await world.send('DELETE', `/questions/speed/links/${newest?.id}`)
      expect(revoked.status).toBe(200)
      expect((await world.send('DELETE', `/questions/speed/links/${newest?.id}`)).status).toBe(404)
    })
  })

  it('its expiry, which lists show for thirty days', async () => {
    const path = await world.share({ label: 'short', expires_at: String(Temporal.Now.instant().add({ seconds: 2 })) })
    await expectEnd(path, () => new Promise((resolve) => setTimeout(resolve, 2_000)))
    const shown = async () => (await world.send('GET', '/questions/speed/links')).text.includes('"short"')
    const postgres = openPostgres({ url: world.world.superuserUrl, connectionsMax: 1, observe: () => {} })
    try {
      const age = (days: number) =>
        postgres.pool.query(
          `UPDATE question_links SET expires_at = now() - $1 * interval '1 day' WHERE label = 'short'`,
          [days],
        )
      await age(29.9)
      await purge(postgres, 'question_links')
      expect(await shown()).toBe(true)
      await age(30.1)
      await purge(postgres, 'question_links')
      expect(await shown()).toBe(false)
    } finally {
      await postgres.close()
    }
  })

  it('its question, also if another question takes the key', async () => {
    await world.send('PUT', '/questions/gone', { body: question })
    const path = await world.share({}, { key: 'gone' })
    await expectEnd(path, async () => {
      await world.send('DELETE', '/questions/gone')
      await world.send('PUT', '/questions/gone', { body: question })
    })
    expect((await world.send('GET', '/questions/gone/links')).body['data']).toEqual([])
    expect(
      await runSql(
        world.world.superuserUrl,
        `SELECT FROM question_links l JOIN questions q ON q.id = question_id WHERE key = 'gone'`,
      ),
    ).toEqual([])
  })

  it('the token that made it', async () => {
    const secret = await token(world.world, 'north', bothScopes)
    const path = await world.share({}, { token: secret })
    await expectEnd(path, async () => {
      const id = await idOf(secret)
      await world.world.operate((operator) => revokeToken(operator, id))
    })
  })

  it('the expiry of the token that made it', async () => {
    const secret = await token(world.world, 'north', bothScopes, Temporal.Now.instant().add({ seconds: 2 }))
    const path = await world.share({}, { token: secret })
    await expectEnd(path, () => new Promise((resolve) => setTimeout(resolve, 2_000)))
  })

  it('the account of the person who made it, but not with the session', async () => {
    const { password } = await user(world.world, 'north', 'ada', 'analyst')
    const cookie = await signIn(world.base, 'ada', password)
    const path = await world.share({}, { token: await tokenOf(world.base, cookie) })
    const { status: signedOut } = await ask(world.base, '/session', { method: 'DELETE', cookie })
    expect([signedOut, await status(path)]).toEqual([200, 200])
    await world.world.operate((operator) => changeRole(operator, 'ada', 'viewer'))
    expect(await status(path)).toBe(200)
    const listed = await world.send('GET', '/questions/speed/links')
    expect((listed.body['data'] as object[])[0]).toMatchObject({ created_by: { kind: 'person', name: 'ada' } })
    await expectEnd(path, () => world.world.operate((operator) => disableUser(operator, 'ada', {})))
  })

  it('the subscription that its question needs', async () => {
    await lend(true)
    const body = { ...question, request: { ...request, panel: 'south-homes' } }
    expect((await world.send('PUT', '/questions/of-south', { body })).status).toBe(200)
    const path = await world.share({}, { key: 'of-south' })
    await expectEnd(path, () => lend(false))
  })

  it('a panel of several: the answer has only what the maker may read now', async () => {
    await lend(true)
    const body = { ...question, request: { ...request, aggregation: 'total', splits: ['agent'] } }
    await world.send('PUT', '/questions/all', { body })
    const path = await world.share({}, { key: 'all' })
    const before = await world.visit(`${path}.csv`)
    expect([before.text.includes('north-one'), before.text.includes('south-one')]).toEqual([true, true])
    await lend(false)
    const after = await world.visit(`${path}.csv`)
    expect([after.text.includes('north-one'), after.text.includes('south-one')]).toEqual([true, false])
  })

  it('the entitlement to its metric', async () => {
    const path = await world.share()
    expect(await status(path)).toBe(200)
    const entitle = (metrics: string[]) =>
      world.world.operate((operator) => changeEntitlements(operator, 'north', { metrics }))
    await entitle(['latency'])
    expect(await endOf(world, path)).toBeLessThan(endMsMax)
    await entitle(['*'])
    expect(await status(path)).toBe(200)
  })
})

it('gives the same answer for an unknown, a revoked, an expired and an invalid link', async () => {
  const [revoked, expired, invalid] = await Promise.all([world.share(), world.share(), world.share()])
  const unknown = await world.share()
  const change = (text: string, path: string) => runSql(world.world.superuserUrl, text, [path.slice('/s/'.length)])
  await change('DELETE FROM question_links WHERE sha256 IN (sha256($1::bytea))', revoked)
  await change('DELETE FROM question_links WHERE sha256 = sha256($1::bytea)', unknown)
  await change(
    `UPDATE question_links SET expires_at = now() - interval '1 s' WHERE sha256 = sha256($1::bytea)`,
    expired,
  )
  await change(
    `WITH made AS (INSERT INTO questions (organisation_id, key, version) SELECT organisation_id, 'broken', 1 FROM questions LIMIT 1 RETURNING *),
       versioned AS (INSERT INTO question_versions (question_id, organisation_id, version, name, description, request, parameters, tags, token_id)
         SELECT made.id, made.organisation_id, 1, 'x', '', '{}', '{}', '{}', min(tokens.id) FROM made, tokens GROUP BY 1, 2)
     UPDATE question_links SET question_id = made.id FROM made WHERE sha256 = sha256($1::bytea)`,
    invalid,
  )
  // The headers must not tell whose link it is, either.
  await world.world.operate((operator) => changeFrameOrigins(operator, 'north', ['https://www.example.org']))
  for (const suffix of ['', '.csv', '.svg', '.json']) {
    const answers = await Promise.all(
      [unknown, revoked, expired, invalid].map(async (path) => {
        const { status: code, headers, text } = await world.visit(path + suffix)
        const same = [...headers].filter(([name]) => !['x-request-id', 'date'].includes(name))
        return JSON.stringify([code, same, text])
      }),
    )
    expect(new Set(answers).size).toBe(1)
    expect(answers[0]).toContain('[404,')
  }
  await world.world.operate((operator) => changeFrameOrigins(operator, 'north', []))
})

it('may be framed only by origins that the operator allows', async () => {
  const path = await world.share()
  const policy = async () => (await world.visit(path)).headers.get('content-security-policy') ?? ''
  expect(await policy()).toContain("frame-ancestors 'none'")
  const allow = (origins: string[]) => world.world.operate((operator) => changeFrameOrigins(operator, 'north', origins))
  await allow(['https://www.example.org', 'https://intern.example.org:8443'])
  expect(await policy()).toMatch(/frame-ancestors https:\/\/www\.example\.org https:\/\/intern\.example\.org:8443$/)
  const south = await world.send('PUT', '/questions/speed', { token: world.tokens.south, body: question })
  expect(south.status).toBe(200)
  const other = await world.share({}, { token: world.tokens.south })
  expect((await world.visit(other)).headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  await allow([])
  expect(await policy()).toContain("frame-ancestors 'none'")
})
