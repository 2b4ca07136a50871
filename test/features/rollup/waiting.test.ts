import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildNext, recordStored } from '../../../src/jobs/rollup/build-rollups.ts'
import { createProgram } from '../../../src/serve/program.ts'
import { storeFacts } from '../../kit/facts.ts'
import { organisation, panel } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { ageResults, withRollupStores } from './build.ts'

let world: World

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  await organisation(world, 'acme')
  await panel(world, 'homes', 'acme', ['whitebox'])
  const result = { dtime: '2026-01-05 12:00:00.000', bytes_sec: 1_000_000, warmup_time: 1 }
  await storeFacts(world, 'httpget', [{ agent: 'homes-whitebox', ...result }])
  await ageResults(world, ['httpget'])
}, 60_000)
afterAll(() => world.close())

/** Sets the state of all metadata events, because no instance runs in this test. */
const events = (state: string) => runSql(world.superuserUrl, `UPDATE metadata_events SET ${state}`)

it('no rollup is built while a dictionary shows old metadata', async () => {
  const outcome = () => withRollupStores(world, async (stores) => (await buildNext(stores, { atOnce: true })).outcome)
  await withRollupStores(world, recordStored)
  await events('published = false, compacted_at = NULL, evicted = false')
  expect(await outcome()).toBe('waiting')
  // Only the large dictionaries have the change. The small ones, which lookups use first, still have the old metadata.
  await events('compacted_at = now()')
  expect(await outcome()).toBe('waiting')
  await events('evicted = true')
  const program = createProgram({ environment: world.environment, write: () => {} })
  await program.parseAsync(['rollup', 'build', '--panel', 'homes', '--to', '2026-01-31'], { from: 'user' })
  const built = `SELECT day::text FROM rollup_days WHERE NOT stale AND test = 'httpget' AND day = '2026-01-05'`
  expect(await runSql(world.superuserUrl, built)).toEqual([{ day: '2026-01-05' }])
}, 120_000)
