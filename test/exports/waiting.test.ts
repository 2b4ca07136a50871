import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { panel } from '../kit/panels.ts'
import { openExportWorld, shownOf, type ExportWorld } from './export-world.ts'

let exports: ExportWorld

beforeAll(async () => {
  // Nobody writes them.
  exports = await openExportWorld(null, { BROADGAUGE_EXPORTS_MAX: '0' })
  await panel(exports.world, 'homes', 'acme', ['whitebox'])
}, 60_000)
afterAll(() => exports.world.close())

async function hold(lock: string): Promise<Client> {
  const holder = new Client({ connectionString: exports.world.superuserUrl })
  await holder.connect()
  await holder.query(`BEGIN; LOCK TABLE ${lock} MODE`)
  return holder
}

it('names the export by 30 s also when PostgreSQL took its time to take it in', async () => {
  const tokens = await hold('tokens IN ACCESS EXCLUSIVE')
  const queue = await hold('exports IN SHARE')
  const startedAt = performance.now()
  const asked = exports.ask('/test_data.csv', { test: 'ping', date: { from: '2026-01', to: '2026-01' } })
  // Each is waited for almost as long as a look-up may take; with the 25 s for the file it is more than 30.
  await sleep(3_000)
  await tokens.end()
  await sleep(3_000)
  await queue.end()
  const answer = await asked
  const seconds = (performance.now() - startedAt) / 1000
  expect(answer.status).toBe(200)
  expect(shownOf(answer).status).toBe('queued')
  expect((await exports.read(shownOf(answer).id)).status).toBe(200)
  expect(seconds).toBeGreaterThan(27)
  expect(seconds).toBeLessThan(30)
}, 60_000)
