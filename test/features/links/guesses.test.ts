import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { formatLinkSecret, formatToken, hasLinkForm, tokenEntropyBytes } from '../../../src/base/token.ts'
import { openLink } from '../../../src/engine/postgres/questions/links.ts'
import { openPostgres } from '../../../src/engine/postgres/postgres.ts'
import { onDatabase, runSql } from '../../kit/run-sql.ts'
import { openLinkWorld, type LinkWorld } from './link-world.ts'

let world: LinkWorld

beforeAll(async () => {
  world = await openLinkWorld()
  await runSql(
    world.world.superuserUrl,
    `ALTER DATABASE ${JSON.stringify(world.world.name)} SET track_functions = 'all'`,
  )
})
afterAll(() => world.world.close())

/** Guesses that are looked up without a service. */
const lookedUp = 10_000

const guess = () => formatLinkSecret(randomBytes(tokenEntropyBytes))

/** The number of times that PostgreSQL has run the function that finds links. */
async function lookUps(): Promise<number> {
  const [row] = await runSql<{ calls: number }>(
    world.world.superuserUrl,
    `SELECT coalesce(sum(calls), 0)::integer AS calls FROM pg_stat_user_functions WHERE funcname = 'open_question_link'`,
  )
  return row?.calls ?? 0
}

/** This is the first test, because look-ups of a test before it could be counted late. */
it('asks PostgreSQL nothing about a mistyped secret, a token, or a text that is no secret', async () => {
  const { addresses } = await world.world.serve()
  const visit = async (text: string) => (await fetch(`${addresses.api}/s/${text}`)).status
  expect(await visit(guess())).toBe(404)
  await expect.poll(lookUps, { timeout: 30_000, interval: 500 }).toBe(1)
  const secret = guess()
  const mistyped = `${secret.slice(0, -1)}${secret.endsWith('0') ? '1' : '0'}`
  for (const text of [mistyped, formatToken(randomBytes(tokenEntropyBytes)), 'bgq_', 'x', '%00', 'a'.repeat(2_000)]) {
    for (const suffix of ['', '.csv', '.json']) expect([text, await visit(`${text}${suffix}`)]).toEqual([text, 404])
  }
  expect(await visit(guess())).toBe(404)
  await expect.poll(lookUps, { timeout: 30_000, interval: 500 }).toBe(2)
})

it('finds none of a million guesses: neither random characters nor secrets with a right checksum', async () => {
  await Promise.all(Array.from({ length: 20 }, () => world.share()))
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  let formed = 0
  const random = randomBytes(36)
  for (let count = 0; count < 1_000_000 - lookedUp; count += 1) {
    // A new text for each guess, from cheap randomness: the check of the form is what is tested.
    random.writeDoubleBE(Math.random(), (count * 8) % 28)
    const text = `bgq_${Array.from(random, (byte) => alphabet[byte % 62]).join('')}`
    if (hasLinkForm(text)) formed += 1
  }
  // A checksum of 32 bits passes one of 4 billion. Ten passes would be a broken check.
  expect(formed).toBeLessThan(10)
  const service = onDatabase(world.world.environment['BROADGAUGE_POSTGRES_URL'] ?? '', world.world.name)
  const postgres = openPostgres({ url: service, connectionsMax: 4, observe: () => {} })
  try {
    const found = new Set<unknown>()
    for (let batch = 0; batch < lookedUp / 100; batch += 1) {
      for (const link of await Promise.all(Array.from({ length: 100 }, () => openLink(postgres, guess()))))
        found.add(link)
    }
    expect([...found]).toEqual([null])
  } finally {
    await postgres.close()
  }
}, 120_000)

it('limits a guesser, whose guesses then cost no look-up, but not a visitor whose link is known', async () => {
  const { addresses } = await world.world.serve()
  const visit = (secret: string, suffix = '.json') => fetch(`${addresses.api}/s/${secret}${suffix}`)
  const shared = await Promise.all(Array.from({ length: 9 }, () => world.share()))
  const [known = '', ...unused] = shared.map((path) => path.slice('/s/'.length))
  expect((await visit(known)).status).toBe(200)
  const statuses: number[] = []
  for (let count = 0; count < 400; count += 1) statuses.push((await visit(guess())).status)
  const refused = statuses.filter((status) => status === 429).length
  expect(new Set(statuses)).toEqual(new Set([404, 429]))
  // 60 at once, and one for each second that the guesses took.
  expect(statuses.slice(0, 60)).toEqual(Array(60).fill(404))
  expect(refused).toBeGreaterThan(300)
  const limited = await visit(guess())
  expect([limited.status, Number(limited.headers.get('retry-after'))]).toEqual([429, expect.any(Number)])
  expect(await limited.json()).toMatchObject({ code: 'TOO_MANY_REQUESTS' })
  expect((await visit(known)).status).toBe(200)
  // A network gets one attempt a second back, which a slow machine may use for one of these links.
  const ofUnused: number[] = []
  for (const secret of unused) {
    await Promise.all(Array.from({ length: 20 }, () => visit(guess())))
    ofUnused.push((await visit(secret)).status)
  }
  expect(ofUnused).toContain(429)
  // Statistics of PostgreSQL arrive when the connection is idle. The first test looked two secrets up.
  const earlier = lookedUp + 2
  await expect.poll(lookUps, { timeout: 20_000, interval: 500 }).toBeGreaterThanOrEqual(earlier + 60)
  expect(await lookUps()).toBeLessThan(earlier + 400 - refused + 100)
})
