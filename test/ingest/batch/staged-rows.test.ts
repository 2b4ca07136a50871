import { afterAll, beforeAll, expect, it } from 'vitest'
import { catalog } from '../../../src/catalog/catalog.ts'
import { countMissing } from '../../../src/compile/ingest/staged-rows.ts'
import { stageRows } from '../../../src/compile/ingest/store-rows.ts'
import { findRows } from '../../../src/engine/clickhouse/ingest/find-rows.ts'
import { runInsert } from '../../../src/engine/clickhouse/ingest/run-insert.ts'
import { rowSource } from '../../../src/ingest/batch/batch.ts'
import { storeFacts } from '../../kit/facts.ts'
import { ndjson, openIngestWorld, type IngestWorld } from '../ingest-world.ts'

let ingest: IngestWorld
beforeAll(async () => {
  ingest = await openIngestWorld()
  // The first ingest request publishes the agents to ClickHouse.
  await ingest.post('ping', ndjson([{ agent_id: 'wb-1', dtime: '2026-01-01 00:00:00.000', target: 'first' }]))
}, 60_000)
afterAll(() => ingest.world.close())

it('the missing part of a batch keeps its name while one month after the other is stored', async () => {
  const test = catalog.tests.find(({ key }) => key === 'ping')
  const engine = ingest.world.engine('INGEST')
  const [node] = engine.nodes
  if (test === undefined || node === undefined) throw new Error('there is no ping, or no node')
  const judgement = { test, database: engine.database, panels: [1], nowMs: Date.now() }
  const source = rowSource(test, { kind: 'ndjson' })
  const rows = ['2026-01-05', '2026-02-05', '2026-02-06'].map((day) => ({
    agent_id: 'wb-1',
    dtime: `${day} 12:00:00.000`,
    target: 'n1',
    successes: 1,
    failures: 0,
  }))
  await runInsert(node, stageRows(judgement, source, 'attempt'), {
    token: 'attempt',
    data: Buffer.from(ndjson(rows)),
    settings: source.settings,
  })
  const missing = async () => {
    const [found] = await findRows<{ missing: number; name: string }>(node, countMissing(judgement, 'attempt'))
    return found
  }
  const before = await missing()
  expect(before).toMatchObject({ missing: 3, name: expect.stringMatching(/^[0-9A-F]{16}$/) })
  await storeFacts(ingest.world, 'ping', [{ agent: 'wb-1', dtime: '2026-01-05 12:00:00.000', target: 'n1' }])
  expect(await missing()).toEqual({ missing: 2, name: before?.name })
})
