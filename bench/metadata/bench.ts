import { Client } from 'pg'
import { asOperator } from '../../src/engine/postgres/operator/operator.ts'
import { createOrganisation } from '../../src/engine/postgres/operator/organisations.ts'
import { createPanel } from '../../src/engine/postgres/operator/panels.ts'
import { createToken } from '../../src/engine/postgres/operator/tokens.ts'
import type { Settings } from '../../src/serve/config-schema.ts'
import { openEngines } from '../rig/engines.ts'
import { startService } from '../rig/service.ts'

/**
 * One row of the table: a measurement of the service, the same measurement without the service, and their ratio if it has one.
 */
export type Measurement = { what: string; ours: string; bare: string; ratio: string }

export type Bench = {
  agents: number
  environment: Record<string, string>
  settings: Settings
  authorization: string
  /** A PostgreSQL connection as superuser, without the service. */
  sql: Client
  /** Base URL of the service, which runs as a separate process. */
  baseUrl: string
  /**
   * Sends a change. Returns the milliseconds until the final response. If `key` is given, retries while the change is still
   * running.
   */
  put: (body: unknown, key?: string) => Promise<number>
  /** Waits until ClickHouse's dictionaries are up to date, because a reload uses the same CPU cores as the measurement. */
  quiet: () => Promise<void>
  close: () => Promise<void>
}

/** Opens separate stores. Each of the `agents` agents has two spans, with three custom values in each span. */
export async function openBench(agents: number): Promise<Bench> {
  const engines = await openEngines('bench', 18_080)
  const { settings } = engines
  const token = await asOperator(settings.BROADGAUGE_POSTGRES_ADMIN_URL ?? '', async (operator) => {
    await createOrganisation(operator, { key: 'bench', name: 'bench', tests: ['*'], metrics: ['*'] })
    await createPanel(operator, { key: 'bench', name: 'bench', owner: 'bench' })
    const scopes = ['metadata:read', 'metadata:write'] as const
    return createToken(operator, { organisation: 'bench', label: 'bench', scopes, expiresAt: null })
  })
  const url = new URL(engines.superuserUrl)
  url.pathname = '/broadgauge'
  const sql = new Client({ connectionString: url.href })
  await sql.connect()
  await fill(sql, agents)
  const service = await startService(engines)
  const { baseUrl } = service
  const authorization = `Bearer ${token.token}`
  return {
    agents,
    environment: engines.environment,
    settings,
    authorization,
    sql,
    baseUrl,
    put: (body, key) => put(baseUrl, authorization, body, key),
    quiet: () => untilQuiet(sql),
    close: async () => {
      await Promise.all([service.close(), sql.end()])
      await engines.close()
    },
  }
}

async function fill(sql: Client, agents: number): Promise<void> {
  await sql.query(
    `
    INSERT INTO isps (name) VALUES ('Acme');
    INSERT INTO packages (isp_id, name) SELECT 1, 'Package ' || n FROM generate_series(1, 20) AS n;
    INSERT INTO agents (panel_id, kind, agent_id, unit_id)
      SELECT 1, 'whitebox', 'agent-' || n, n FROM generate_series(1, ${agents}) AS n;
    INSERT INTO custom_fields (organisation_id, key) VALUES (1, 'group'), (1, 'account'), (1, 'region');
    UPDATE spans SET custom = jsonb_build_object('group', 'g' || agent_id % 10, 'account', 'A' || agent_id, 'region', agent_id % 50);
    SELECT apply_change((SELECT array_agg(id) FROM agents), 1, (now() AT TIME ZONE 'UTC')::date - 40, true, 1, 1, true, 1::smallint,
      '{}', '{}', false);
    VACUUM ANALYZE;`.replace('VACUUM ANALYZE;', ''),
  )
  await sql.query('VACUUM ANALYZE')
  const { rows } = await sql.query(`
    SELECT (SELECT count(*) FROM spans) AS spans, (SELECT count(*) FROM dictionary_custom_values) AS custom_values`)
  console.log(`filled: ${agents} agents, ${rows[0].spans} spans, ${rows[0].custom_values} custom values`)
}

async function untilQuiet(client: Client): Promise<void> {
  const text = `SELECT (count(*) FILTER (WHERE NOT published) + greatest(sum(cardinality(agents)) - 20000, 0))::int AS waiting
                FROM metadata_events WHERE compacted_at IS NULL`
  for (;;) {
    const { rows } = await client.query<{ waiting: number }>(text)
    if ((rows[0]?.waiting ?? 0) === 0) return
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

async function put(baseUrl: string, authorization: string, body: unknown, key?: string): Promise<number> {
  const startedAt = performance.now()
  const headers = { authorization, 'content-type': 'application/json', ...(key ? { 'idempotency-key': key } : {}) }
  for (;;) {
    const response = await fetch(`${baseUrl}/metadata`, { method: 'PUT', headers, body: JSON.stringify(body) })
    const text = await response.text()
    if (response.ok) return performance.now() - startedAt
    const isRunning = key !== undefined && (response.status === 503 || response.status === 409)
    if (!isRunning) throw new Error(`PUT answered ${response.status}: ${text}`)
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
}
