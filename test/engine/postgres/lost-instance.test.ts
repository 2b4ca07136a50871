import { afterAll, beforeAll, expect, it } from 'vitest'
import { openPostgres, type Postgres } from '../../../src/engine/postgres/postgres.ts'
import { openWorld, type World } from '../../kit/world.ts'

let world: World
let postgres: Postgres

beforeAll(async () => {
  world = await openWorld()
  const url = world.environment['BROADGAUGE_POSTGRES_URL'] ?? ''
  postgres = openPostgres({ url, connectionsMax: 1, observe: () => {} })
})
afterAll(async () => {
  await postgres.close()
  await world.close()
})

const names = ['tcp_keepalives_idle', 'tcp_keepalives_interval', 'tcp_keepalives_count', 'tcp_user_timeout']

/** PostgreSQL reads these values back from the socket, so they are what the kernel uses. */
it('lets PostgreSQL end the session of an instance that is lost silently after 9 s, and so release its locks', async () => {
  const { rows } = await postgres.pool.query<{ name: string; setting: string }>(
    'SELECT name, setting FROM pg_settings WHERE name = ANY($1)',
    [names],
  )
  expect(Object.fromEntries(rows.map(({ name, setting }) => [name, Number(setting)]))).toEqual({
    tcp_keepalives_idle: 5,
    tcp_keepalives_interval: 2,
    tcp_keepalives_count: 2,
    tcp_user_timeout: 9_000,
  })
})
