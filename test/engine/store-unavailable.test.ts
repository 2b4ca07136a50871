import { expect, it } from 'vitest'
import { Fault } from '../../src/base/fault.ts'
import { mapClickHouseErrors } from '../../src/engine/clickhouse/clickhouse.ts'
import { toEngineFault } from '../../src/engine/clickhouse/engine-fault.ts'
import { mapStoreErrors } from '../../src/engine/postgres/postgres.ts'

const thrown = async (code: string): Promise<unknown> =>
  mapStoreErrors(() => Promise.reject(Object.assign(new Error('as the driver raises it'), { code }))).catch(
    (error: unknown) => error,
  )

/**
 * The driver raised each of these codes in a test that broke connections after a random number of bytes. The code
 * depends on which side closes the connection first.
 */
it.each(['08006', '25P03', '53300', '57P01', '57014', 'ECONNRESET'])(
  'classifies %s as an unavailable store',
  async (code) => {
    expect(await thrown(code)).toBeInstanceOf(Fault)
    expect(await thrown(code)).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  },
)

it.each(['23505', '25P02', '42601'])('classifies %s as an internal error', async (code) => {
  expect(await thrown(code)).not.toBeInstanceOf(Fault)
})

const raised = (code: string, message = 'as the engine says it') =>
  toEngineFault(Object.assign(new Error(message), { code }))

/** Code 614: PostgreSQL did not respond while ClickHouse loaded a dictionary from it for the first time. */
it.each(['202', '210', '243', '614', 'ECONNRESET'])('classifies %s of ClickHouse as an unavailable store', (code) => {
  expect(raised(code)).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
})

it.each(['47', '62', '1001'])('classifies %s of ClickHouse as an internal error', (code) => {
  expect(raised(code)).not.toBeInstanceOf(Fault)
})

const stored = (code: string) =>
  mapClickHouseErrors(() => Promise.reject(Object.assign(new Error('as the engine says it'), { code }))).catch(
    (error: unknown) => error,
  )

it.each(['158', '159', '241', '307', '396'])(
  'classifies %s as a too large query, and for an insert as an unavailable store',
  async (code) => {
    expect(raised(code)).toMatchObject({ code: 'QUERY_TOO_LARGE' })
    const unavailable = { code: 'SERVICE_UNAVAILABLE', headers: { 'retry-after': '5' }, cause: { code } }
    expect(await stored(code)).toMatchObject(unavailable)
  },
)

it.each(['47', '27'])('classifies %s as an internal error also for an insert', async (code) => {
  expect(await stored(code)).not.toBeInstanceOf(Fault)
})
