import { afterAll, beforeAll, expect, it } from 'vitest'
import { openPostgres, type Postgres } from '../../src/engine/postgres/postgres.ts'
import { authenticateAhead, takeBasis } from '../../src/engine/postgres/read-ahead.ts'
import { call } from '../kit/call.ts'
import { organisation, panel, token } from '../kit/panels.ts'
import { runSql } from '../kit/run-sql.ts'
import { openWorld, type World } from '../kit/world.ts'

let world: World
let postgres: Postgres

beforeAll(async () => {
  world = await openWorld()
  for (const key of ['acme', 'other']) {
    await organisation(world, key)
    await panel(world, `of-${key}`, key, ['whitebox'])
  }
  const { BROADGAUGE_POSTGRES_URL: url = '' } = world.environment
  postgres = openPostgres({ url, connectionsMax: 4, observe: () => {} })
})
afterAll(async () => {
  await postgres.close()
  await world.close()
})

/** The panels a question with this token is judged by, and those of the same caller's next one. */
async function panelsOf(secret: string, meanwhile: () => Promise<unknown> = async () => {}) {
  const caller = await authenticateAhead(postgres, secret, 'data:read')
  if (caller === null) return null
  const shown = async () => (await takeBasis(caller, postgres).grants).panels.map(({ key }) => key)
  // On a machine that stood still, what is read ahead would see what comes meanwhile.
  await expect.poll(() => postgres.pool.totalCount - postgres.pool.idleCount).toBe(0)
  await meanwhile()
  return [await shown(), await shown()]
}

it('reads what a known token is judged by while the token is looked up, and uses it once', async () => {
  const secret = await token(world, 'acme')
  const first = (name: string) => panelsOf(secret, () => panel(world, name, 'acme', ['whitebox']))
  // Not known yet: read afterwards.
  expect(await first('second')).toEqual([
    ['of-acme', 'second'],
    ['of-acme', 'second'],
  ])
  expect(await first('third')).toEqual([
    ['of-acme', 'second'],
    ['of-acme', 'second', 'third'],
  ])
})

it.each(['revoked_at', 'expires_at'])('takes nobody for a caller whose token is good no more: %s', async (column) => {
  const secret = await token(world, 'acme')
  expect(await panelsOf(secret)).not.toBeNull()
  await runSql(world.superuserUrl, `UPDATE tokens SET ${column} = now()`)
  expect(await panelsOf(secret)).toBeNull()
  await runSql(world.superuserUrl, `UPDATE tokens SET ${column} = NULL`)
  expect(await panelsOf(secret)).not.toBeNull()
})

it('lets nobody ask on with a token that has expired since the last question', async () => {
  const { addresses } = await world.serve()
  const secret = await token(world, 'acme')
  // Of a question that is none one hears only who is known.
  const ask = () =>
    call(`${addresses.api}/metric_data`, {
      method: 'POST',
      token: secret,
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
  for (let time = 1; time <= 2; time += 1) expect((await ask()).status).toBe(422)
  await runSql(world.superuserUrl, 'UPDATE tokens SET expires_at = now()')
  for (let time = 1; time <= 2; time += 1) {
    const { status, text } = await ask()
    expect([status, text]).toEqual([403, '{"code":"ACCESS_DENIED","message":"Access Denied"}'])
  }
  await runSql(world.superuserUrl, 'UPDATE tokens SET expires_at = NULL')
})

/** It never does, but in a database that was restored from somewhere else. */
it('never judges a token that has changed hands by what its last owner has', async () => {
  const secret = await token(world, 'other')
  for (let time = 1; time <= 2; time += 1) expect(await panelsOf(secret)).toEqual([['of-other'], ['of-other']])
  await runSql(
    world.superuserUrl,
    `UPDATE tokens SET organisation_id = (SELECT id FROM organisations WHERE key = 'acme')
     WHERE organisation_id = (SELECT id FROM organisations WHERE key = 'other')`,
  )
  for (let time = 1; time <= 2; time += 1) expect((await panelsOf(secret))?.flat()).not.toContain('of-other')
})
