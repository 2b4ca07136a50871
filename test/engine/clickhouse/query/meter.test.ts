import { afterAll, beforeAll, expect, it } from 'vitest'
import { newMeter } from '../../../../src/base/audit.ts'
import { statement, sql } from '../../../../src/base/sql.ts'
import { findPoints } from '../../../../src/engine/clickhouse/query/find-points.ts'
import { openWorld, type World } from '../../../kit/world.ts'

let world: World

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
})
afterAll(() => world.close())

const scope = { organisationId: 1, tokenId: 1 }
const rows = (count: number) =>
  statement(sql`SELECT sleepEachRow(0.02) FROM numbers(toUInt64(${{ type: 'UInt32', value: count }}))`)
const failing = statement(sql`SELECT sleep(0.2), throwIf(number = 0) FROM numbers(1)`)

it('adds up the cost of all statements of a request, including one that fails', async () => {
  const meter = newMeter()
  const origin = { endpoint: 'test', requestId: 'test', panels: [], meter, signal: new AbortController().signal }
  const engine = world.engine('QUERY')
  await findPoints(scope, engine, rows(10), origin)
  const first = { ...meter }
  expect(first).toMatchObject({ rows: 10, rowsRead: 10 })
  expect(first.engineMs).toBeGreaterThanOrEqual(200)
  await findPoints(scope, engine, rows(5), origin)
  // `rows` counts the rows of the last response; `rowsRead` is the sum of both statements.
  expect(meter).toMatchObject({ rows: 5, rowsRead: 15 })
  expect(meter.engineMs).toBeGreaterThanOrEqual(first.engineMs + 100)
  const both = meter.engineMs
  await expect(findPoints(scope, engine, failing, origin)).rejects.toThrow(/throwIf/)
  expect(meter.engineMs).toBeGreaterThan(both)
})
