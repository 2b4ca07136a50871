import { importAgents } from '../../../src/engine/postgres/operator/import-agents.ts'
import { createPanel } from '../../../src/engine/postgres/operator/panels.ts'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { storeFacts } from '../../kit/facts.ts'
import { agent, asLines, organisation, token } from '../../kit/panels.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { noLimits } from './no-limits.ts'

export type AttackedWorld = { world: World; service: Service; everything: string; dataOnly: string }

/** A world with one organisation, two agents and a day of results, so that valid requests find something. */
export async function openAttackedWorld(): Promise<AttackedWorld> {
  const world = await openWorld({ clickhouse: true })
  await organisation(world, 'north')
  const everything = await token(world, 'north', [
    'data:read',
    'metadata:read',
    'metadata:write',
    'ingest:write',
    'questions:write',
  ])
  const dataOnly = await token(world, 'north')
  await world.operate(async (operator) => {
    await createPanel(operator, { key: 'homes', name: 'Homes', owner: 'north' })
    const rows = [
      agent({ agent_id: 'wb-0001', unit_id: '1001' }),
      agent({ agent_id: 'phone', kind: 'mobile', unit_id: null, base: null }),
    ]
    await importAgents(operator, 'homes', asLines(rows.map((row, index) => ({ line: index + 2, row }))), () => {})
  })
  for (const test of ['httpget', 'ping', 'dns']) {
    const rows = Array.from({ length: 24 }, (_, hour) => ({
      agent: 'wb-0001',
      dtime: `2026-01-05 ${String(hour).padStart(2, '0')}:00:00.000`,
    }))
    await storeFacts(world, test, rows)
  }
  return { world, service: await world.serve(noLimits), everything, dataOnly }
}
