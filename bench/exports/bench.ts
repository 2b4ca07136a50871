import { openClickHouse } from '../../src/engine/clickhouse/clickhouse.ts'
import { reloadDictionaries } from '../../src/engine/clickhouse/dictionaries/reload-dictionaries.ts'
import { findExportObjects, removeExportObjects } from '../../src/engine/objects/export-objects.ts'
import { openObjects } from '../../src/engine/objects/objects.ts'
import { importAgents } from '../../src/engine/postgres/operator/import-agents.ts'
import { asOperator } from '../../src/engine/postgres/operator/operator.ts'
import { createOrganisation } from '../../src/engine/postgres/operator/organisations.ts'
import { createPanel } from '../../src/engine/postgres/operator/panels.ts'
import { createToken } from '../../src/engine/postgres/operator/tokens.ts'
import { adminUrl, clickHouseOptions, objectsOptions } from '../../src/serve/config.ts'
import type { Settings } from '../../src/serve/config-schema.ts'
import { openEngines } from '../rig/engines.ts'
import { memoryNow } from '../rig/processor-seconds.ts'
import { startService } from '../rig/service.ts'

export type Bench = {
  readonly settings: Settings
  readonly baseUrl: string
  readonly token: string
  /** Current memory of the service, in megabytes. */
  readonly memory: () => Promise<number>
  /** Removes the exported files, because the disk of the development stack has only twenty gigabytes. */
  readonly clearAway: () => Promise<void>
  readonly close: () => Promise<void>
}

const agents = 1_000

/** Opens separate stores with `rows` results of httpget, and starts the service as a separate process. */
export async function openBench(rows: number): Promise<Bench> {
  const engines = await openEngines('bench-exports', 18_100)
  const { settings } = engines
  const { token } = await asOperator(adminUrl(settings), async (operator) => {
    await createOrganisation(operator, { key: 'bench', name: 'bench', tests: ['*'], metrics: ['*'] })
    await createPanel(operator, { key: 'bench', name: 'bench', owner: 'bench' })
    await importAgents(operator, 'bench', agentLines(), () => {})
    return createToken(operator, { organisation: 'bench', label: 'bench', scopes: ['data:read'], expiresAt: null })
  })
  await fill(settings, rows)
  const service = await startService(engines)
  const objects = openObjects(objectsOptions(settings))
  return {
    settings,
    baseUrl: service.baseUrl,
    token,
    memory: () => memoryNow(service.pid),
    clearAway: async () => removeExportObjects(objects, await findExportObjects(objects)),
    close: async () => {
      objects.close()
      await service.close()
      await engines.close()
    },
  }
}

async function* agentLines() {
  for (let number = 1; number <= agents; number += 1) {
    const row = {
      agent_id: `agent-${number}`,
      unit_id: String(number),
      mac_address: null,
      base: 'model',
      country: 'GB',
    }
    yield { line: number + 1, row: { ...row, kind: 'whitebox' as const } }
  }
}

/**
 * Inserts results of a thousand agents, one every half minute per agent. Ten million results cover about three and a half days.
 */
async function fill(settings: Settings, rows: number): Promise<void> {
  const clickhouse = openClickHouse({ ...clickHouseOptions(settings, 'ADMIN'), timeoutMs: 600_000 })
  await reloadDictionaries(clickhouse, 'agents')
  await clickhouse.nodes[0]?.command({
    query: `INSERT INTO ${clickhouse.database}.httpget (panel, agent, dtime, target, address, fetch_time, bytes_total,
        bytes_sec, bytes_sec_interval, warmup_time, warmup_bytes, sequence, threads, tcp_retransmissions, successes,
        ip_version, target_group)
      SELECT 1, 1 + number % ${agents}, toDateTime64('2026-01-01 00:00:00', 3, 'UTC') + toIntervalSecond(30 * intDiv(number, ${agents})),
        'n1-the1.example.net', '10.0.0.7', 10000000 + rand(1) % 100000, rand(2), rand(3), rand(4), 3000000, rand(5), 5, 3,
        rand(6) % 200, 1, 4, 'off-net'
      FROM numbers(${rows})`,
  })
  await clickhouse.nodes[0]?.command({ query: `OPTIMIZE TABLE ${clickhouse.database}.httpget FINAL` })
  await clickhouse.close()
}
