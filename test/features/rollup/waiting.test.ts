import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildNext, noteStored } from '../../../src/jobs/rollup/build-rollups.ts'
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

/** Nothing serves here, so nobody tells the dictionaries. */
const events = (state: string) => runSql(world.superuserUrl, `UPDATE metadata_events SET ${state}`)

it('sums are not made while a dictionary shows agents as they were', async () => {
  const outcome = () => withRollupStores(world, async (stores) => (await buildNext(stores, { atOnce: true })).outcome)
  await withRollupStores(world, noteStored)
  await events('told = false, settled_at = NULL, shed = false')
  expect(await outcome()).toBe('waiting')
  // Told to the large dictionaries; the small ones, which are asked first, have what was before.
  await events('settled_at = now()')
  expect(await outcome()).toBe('waiting')
  await events('shed = true')
  const program = createProgram({ environment: world.environment, write: () => {} })
  await program.parseAsync(['rollup', 'build', '--panel', 'homes', '--to', '2026-01-31'], { from: 'user' })
  const built = `SELECT day::text FROM rollup_days WHERE NOT stale AND test = 'httpget' AND day = '2026-01-05'`
  expect(await runSql(world.superuserUrl, built)).toEqual([{ day: '2026-01-05' }])
}, 120_000)
