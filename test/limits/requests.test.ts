import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call } from '../kit/call.ts'
import { organisation, panel, token } from '../kit/panels.ts'
import { openWorld, type World } from '../kit/world.ts'

/** Few, so that a busy machine too asks for more than that. */
const perSecond = 20
let world: World
let copies: string[]
const tokens: Record<string, string> = {}

beforeAll(async () => {
  world = await openWorld()
  for (const key of ['flood', 'quiet', 'split']) {
    await organisation(world, key)
    await panel(world, `${key}-panel`, key, ['whitebox'])
    tokens[key] = await token(world, key)
  }
  tokens['split-too'] = await token(world, 'split')
  const limited = {
    BROADGAUGE_ORGANISATION_REQUESTS_PER_SECOND: String(perSecond),
    BROADGAUGE_TOKEN_REQUESTS_PER_SECOND: String(perSecond * 0.6),
  }
  copies = [(await world.serve(limited)).addresses.api, (await world.serve(limited)).addresses.api]
})
afterAll(() => world.close())

const ask = (copy: number, key: string) => call(`${copies[copy]}/tests`, { token: tokens[key] ?? '' })

type Flood = { statuses: number[]; shortest: number; longest: number }

/**
 * Asks as fast as it can through both copies. Its first request was let in some time between being sent and being answered,
 * so the time that shares were filled again in lies between two lengths, in seconds.
 */
async function flood(keys: readonly string[], milliseconds: number): Promise<Flood> {
  const startedAt = performance.now()
  const statuses: number[] = []
  const times: number[] = []
  const askers = [0, 1].flatMap((copy) =>
    keys.flatMap((key) =>
      [1, 2].map(async () => {
        while (performance.now() - startedAt < milliseconds) {
          statuses.push((await ask(copy, key)).status)
          times.push(performance.now())
        }
      }),
    ),
  )
  await Promise.all(askers)
  const last = times.at(-1) ?? 0
  return { statuses, shortest: (last - (times[0] ?? 0)) / 1000, longest: (last - startedAt) / 1000 }
}

const granted = (statuses: readonly number[]) => statuses.filter((status) => status === 200).length

describe('requests a second', () => {
  it.each([
    ['a token', ['flood'], perSecond * 0.6],
    ['an organisation with two tokens', ['split', 'split-too'], perSecond],
  ])('of %s are the same over two copies as over one, within 2 %', async (_whose, keys, limit) => {
    const { statuses, shortest, longest } = await flood(keys, 6_000)
    expect(new Set(statuses)).toEqual(new Set([200, 429]))
    // A second's share is there to begin with, and is filled again from then on.
    const share = (seconds: number) => limit + limit * seconds
    expect(granted(statuses)).toBeGreaterThan(share(shortest) * 0.98 - 1)
    expect(granted(statuses)).toBeLessThan(share(longest) * 1.02)
  })

  it('tell how much is left, and when to come again', async () => {
    await flood(['flood'], 200)
    let refused = await ask(0, 'flood')
    while (refused.status === 200) refused = await ask(0, 'flood')
    expect(refused).toMatchObject({ status: 429, body: { code: 'TOO_MANY_REQUESTS' } })
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(refused.headers.get('ratelimit-limit')).toBe(String(perSecond * 0.6))
    expect(refused.headers.get('ratelimit-remaining')).toBe('0')
    const other = await ask(0, 'quiet')
    expect(other.status).toBe(200)
    expect(Number(other.headers.get('ratelimit-remaining'))).toBeGreaterThan(perSecond / 4)
  })

  it('are counted for those who are let in only', async () => {
    const wrong = await Promise.all(Array.from({ length: 100 }, () => call(`${copies[0]}/tests`, { token: 'nobody' })))
    expect(new Set(wrong.map(({ status }) => status))).toEqual(new Set([403]))
  })
})
