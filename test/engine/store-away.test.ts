import { expect, it } from 'vitest'
import { Fault } from '../../src/base/fault.ts'
import { speaking } from '../../src/engine/postgres/postgres.ts'

const thrown = async (code: string): Promise<unknown> =>
  speaking(() => Promise.reject(Object.assign(new Error('as the driver raises it'), { code }))).catch(
    (error: unknown) => error,
  )

/** Seen when connections were stopped at random bytes: which end gives up first is a matter of milliseconds. */
it.each(['08006', '25P03', '53300', '57P01', '57014', 'ECONNRESET'])(
  'takes %s for a store that is away',
  async (code) => {
    expect(await thrown(code)).toBeInstanceOf(Fault)
    expect(await thrown(code)).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  },
)

it.each(['23505', '25P02', '42601'])('takes %s for a fault of ours', async (code) => {
  expect(await thrown(code)).not.toBeInstanceOf(Fault)
})
