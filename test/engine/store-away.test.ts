import { expect, it } from 'vitest'
import { Fault } from '../../src/base/fault.ts'
import { speakingAsStore } from '../../src/engine/clickhouse/clickhouse.ts'
import { toEngineFault } from '../../src/engine/clickhouse/engine-fault.ts'
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

const raised = (code: string, message = 'as the engine says it') =>
  toEngineFault(Object.assign(new Error(message), { code }))

/** 614: PostgreSQL stood still while the engine loaded a dictionary from it for the first time. */
it.each(['202', '210', '243', '614', 'ECONNRESET'])('takes %s of the engine for a store that is away', (code) => {
  expect(raised(code)).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
})

it.each(['47', '62', '1001'])('takes %s of the engine for a fault of ours', (code) => {
  expect(raised(code)).not.toBeInstanceOf(Fault)
})

const stored = (code: string) =>
  speakingAsStore(() => Promise.reject(Object.assign(new Error('as the engine says it'), { code }))).catch(
    (error: unknown) => error,
  )

it.each(['158', '159', '241', '307', '396'])(
  'takes %s for a query that is too large, and of rows to be stored for a store that is away',
  async (code) => {
    expect(raised(code)).toMatchObject({ code: 'QUERY_TOO_LARGE' })
    const away = { code: 'SERVICE_UNAVAILABLE', headers: { 'retry-after': '5' }, cause: { code } }
    expect(await stored(code)).toMatchObject(away)
  },
)

it.each(['47', '27'])('takes %s for a fault of ours also of rows to be stored', async (code) => {
  expect(await stored(code)).not.toBeInstanceOf(Fault)
})
