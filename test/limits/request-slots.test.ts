import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Scope } from '../../src/base/caller.ts'
import type { RequestSlot, TakeRequestSlot } from '../../src/base/quotas.ts'
import { accessDenied } from '../../src/base/fault.ts'
import { createRequestSlots } from '../../src/limits/request-slots.ts'

const network = '192.0.2.1'

/** Returns a function that takes `count` slots for an organisation whose token the instance already knows. */
async function known(
  take: TakeRequestSlot<Scope>,
  organisationId: number,
): Promise<(count: number) => RequestSlot<Scope>[]> {
  const sender = { credential: `token of ${organisationId}`, network }
  const first = take(sender)
  await first.identify(async () => ({ organisationId }))
  first.release()
  return (count) => Array.from({ length: count }, () => take(sender))
}

const refusedWith = (code: string, limit: string | null = null) =>
  expect.objectContaining({
    code,
    headers: expect.objectContaining({
      'retry-after': '1',
      ...(limit === null ? {} : { 'ratelimit-limit': limit, 'ratelimit-remaining': '0', 'ratelimit-reset': '1' }),
    }),
  })

it('gives one organisation half of the slots, and then every other a quarter', async () => {
  const take = createRequestSlots()
  const [acme, other, third] = [await known(take, 1), await known(take, 2), await known(take, 3)]
  const own = acme(128)
  for (let times = 0; times < 300; times += 1) expect(() => acme(1)).toThrow(refusedWith('TOO_MANY_REQUESTS', '64'))
  other(64)
  expect(() => other(1)).toThrow(refusedWith('TOO_MANY_REQUESTS', '64'))
  for (const { release } of own.slice(0, 65)) {
    release()
    release()
  }
  acme(1)
  third(64)
  expect(() => acme(1)).toThrow(refusedWith('TOO_MANY_REQUESTS', '64'))
})

it('is full for organisations within their limits only when all slots are taken', async () => {
  const take = createRequestSlots()
  const organisations = await Promise.all([1, 2, 3, 4, 5].map((id) => known(take, id)))
  const held = organisations.slice(0, 4).flatMap((slots) => slots(64))
  expect(() => organisations[4]?.(1)).toThrow(refusedWith('SERVICE_UNAVAILABLE'))
  held[0]?.release()
  expect(organisations[4]?.(1)).toHaveLength(1)
})

it('counts unknown credentials by network, apart from known ones', async () => {
  const take = createRequestSlots()
  const acme = await known(take, 1)
  const strangers = (from: string, count: number) =>
    Array.from({ length: count }, (_, index) => take({ credential: `invented ${index}`, network: from }))
  const held = strangers(network, 64)
  expect(() => strangers(network, 1)).toThrow(refusedWith('TOO_MANY_REQUESTS', '64'))
  strangers('192.0.2.2', 64)
  expect(() => strangers('192.0.2.3', 1)).toThrow(refusedWith('SERVICE_UNAVAILABLE'))
  expect(acme(128)).toHaveLength(128)
  held[0]?.release()
  expect(strangers('192.0.2.3', 1)).toHaveLength(1)
})

it('looks up at most four unknown credentials at a time, and a known one next to them', async () => {
  const take = createRequestSlots()
  await known(take, 1)
  const end = Promise.withResolvers<void>()
  let running = 0
  const lookUp = async () => {
    running += 1
    await end.promise
    return { organisationId: 2 }
  }
  const waiting = [1, 2, 3, 4, 5, 6].map((name) => take({ credential: `new ${name}`, network }).identify(lookUp))
  await pause(0)
  expect(running).toBe(4)
  expect(await take({ credential: 'token of 1', network }).identify(async () => ({ organisationId: 1 }))).toEqual({
    organisationId: 1,
  })
  end.resolve()
  await Promise.all(waiting)
  expect(running).toBe(6)
})

it('does not look up the credential of a sender that has disconnected', async () => {
  const slot = createRequestSlots()({ credential: 'x', network })
  slot.release()
  await expect(slot.identify(async () => ({ organisationId: 1 }))).rejects.toThrow(
    expect.objectContaining({ detail: 'the caller hung up' }),
  )
})

it('frees the slot of a sender that disconnects during the lookup', async () => {
  const take = createRequestSlots()
  for (let times = 0; times < 300; times += 1) {
    const slot = take({ credential: 'one', network })
    await slot.identify(async () => {
      slot.release()
      return { organisationId: 1 }
    })
  }
  expect((await known(take, 1))(128)).toHaveLength(128)
})

it('treats a refused credential as unknown from then on', async () => {
  const take = createRequestSlots()
  const acme = await known(take, 1)
  const [slot] = acme(1)
  await expect(slot?.identify(() => Promise.reject(accessDenied('revoked')))).rejects.toThrow('Access Denied')
  slot?.release()
  acme(64)
  expect(() => acme(1)).toThrow(refusedWith('TOO_MANY_REQUESTS', '64'))
})

it('remembers the organisation of a credential from its last lookup, until it is refused', async () => {
  const take = createRequestSlots()
  const sender = { credential: 'token', network }
  const first = take(sender)
  expect(first.known).toBeNull()
  await first.identify(async () => ({ organisationId: 7 }))
  const second = take(sender)
  expect(second.known).toEqual({ organisationId: 7 })
  await expect(second.identify(() => Promise.reject(accessDenied('revoked')))).rejects.toThrow('Access Denied')
  expect(take(sender).known).toBeNull()
})
