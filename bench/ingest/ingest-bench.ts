import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Client } from 'pg'
import httpget from '../../src/catalog/tests/httpget.ts'
import { statement } from '../../src/base/sql.ts'
import { storedColumns } from '../../src/compile/schema/fact-table.ts'
import { openClickHouse } from '../../src/engine/clickhouse/clickhouse.ts'
import { asOperator } from '../../src/engine/postgres/operator/operator.ts'
import { createOrganisation } from '../../src/engine/postgres/operator/organisations.ts'
import { createPanel } from '../../src/engine/postgres/operator/panels.ts'
import { clickHouseOptions } from '../../src/serve/config.ts'
import { openEngines } from '../rig/engines.ts'
import { memoryPeak, processorSeconds } from '../rig/processor-seconds.ts'

export type IngestBench = {
  writeFile: (path: string, format: string, rows: number, oneBadIn: number) => Promise<void>
  loadBare: (file: Readable, format: string) => Promise<object>
  /** Runs the import command as a separate process. Returns its CPU time and its peak memory. */
  importFile: (path: string) => Promise<{ processorSeconds: number; memoryMb: number }>
  expectRows: (rows: number) => Promise<void>
  forget: () => Promise<void>
  /** CPU time of ClickHouse. */
  processorSeconds: () => Promise<number>
  close: () => Promise<void>
}

const bareTable = 'broadgauge.bare'

/** Opens separate stores with agents that have no results yet. */
export async function openIngestBench(agents: number): Promise<IngestBench> {
  const engines = await openEngines('bench-ingest', 18_070)
  const { settings } = engines
  await asOperator(settings.BROADGAUGE_POSTGRES_ADMIN_URL ?? '', async (operator) => {
    await createOrganisation(operator, { key: 'bench', name: 'bench', tests: ['*'], metrics: ['*'] })
    await createPanel(operator, { key: 'bench', name: 'bench', owner: 'bench' })
  })
  const url = new URL(engines.superuserUrl)
  url.pathname = '/broadgauge'
  const sql = new Client({ connectionString: url.href })
  await sql.connect()
  await sql.query(
    `INSERT INTO agents (panel_id, kind, agent_id, unit_id)
     SELECT 1, 'whitebox', 'agent-' || n, n FROM generate_series(0, ${agents - 1}) AS n`,
  )
  const clickhouse = openClickHouse({ ...clickHouseOptions(settings, 'ADMIN'), timeoutMs: 3_600_000 })
  const [node] = clickhouse.nodes
  if (node === undefined) throw new Error('no node')
  await node.command({ query: createBare() })
  const exec = async (query: string, values?: Readable) => {
    const { stream } = await node.exec(values === undefined ? { query } : { query, values })
    return stream
  }
  return {
    writeFile: async (path, format, rows, oneBadIn) =>
      pipeline(await exec(fileQuery(format, rows, agents, oneBadIn)), createWriteStream(path)),
    loadBare: async (file, format) => {
      await (await exec(`INSERT INTO ${bareTable} FORMAT ${format}`, file)).toArray()
      return {}
    },
    importFile: (path) => importFile(path, engines.environment),
    expectRows: async (rows) => {
      const result = await node.query({
        query: 'SELECT count() AS rows FROM broadgauge.httpget',
        format: 'JSONEachRow',
      })
      const [found] = await result.json<{ rows: string }>()
      if (Number(found?.rows) !== rows) throw new Error(`${found?.rows} rows are stored, not ${rows}`)
    },
    forget: async () => {
      for (const table of [bareTable, 'broadgauge.httpget']) await node.command({ query: `TRUNCATE TABLE ${table}` })
      await sql.query('TRUNCATE ingest_batches, import_files')
    },
    processorSeconds: () => processorSeconds(engines.enginePid),
    close: async () => {
      await Promise.all([clickhouse.close(), sql.end()])
      await engines.close()
    },
  }
}

/**
 * Returns the statement that creates a table with the same columns as the file, sorted and partitioned like the real table.
 */
function createBare(): string {
  const own = storedColumns(httpget)
    .filter((column) => !['panel', 'agent', 'dtime', 'ingested_at'].includes(column.name))
    .map((column) => `${column.name} ${statement(column.type).text} CODEC(ZSTD(1))`)
  return `CREATE TABLE ${bareTable} (agent_id String CODEC(ZSTD(1)), dtime DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)), ${own.join(', ')})
    ENGINE = MergeTree PARTITION BY toYYYYMM(dtime) ORDER BY (toDate(dtime), agent_id, dtime)`
}

/**
 * Returns a query that generates four results per agent and day, in the order of measurement, for as many days as necessary.
 */
const fileQuery = (format: string, rows: number, agents: number, oneBadIn: number): string => `
  SELECT concat(${oneBadIn === 0 ? `''` : `if(number % ${oneBadIn} = 0, 'nobody-', '')`}, 'agent-', toString(number % ${agents})) AS agent_id,
    toString(toDateTime64('2026-01-01 00:00:00', 3, 'UTC') + toIntervalMillisecond(intDiv(number, ${agents}) * 21600000 + cityHash64(number) % 21600000)) AS dtime,
    concat('server', toString(cityHash64(number, 2) % 40), '.test.example.net') AS target,
    concat('192.0.2.', toString(cityHash64(number, 2) % 40)) AS address,
    9000000 + cityHash64(number, 3) % 2000000 AS fetch_time, cityHash64(number, 4) % 500000000 AS bytes_total,
    cityHash64(number, 5) % 60000000 AS bytes_sec, cityHash64(number, 6) % 60000000 AS bytes_sec_interval,
    3000000 + cityHash64(number, 7) % 200000 AS warmup_time, cityHash64(number, 8) % 50000000 AS warmup_bytes,
    5 AS sequence, 8 AS threads, cityHash64(number, 9) % 300 AS tcp_retransmissions, 1 AS successes, 0 AS failures,
    4 AS ip_version, if(cityHash64(number, 2) % 2 = 0, 'on-net', 'off-net') AS target_group
  FROM numbers(${rows}) FORMAT ${format} SETTINGS output_format_json_quote_64bit_integers = 0`

async function importFile(path: string, environment: Record<string, string>) {
  const words = ['src/serve/main.ts', 'import', 'httpget', path]
  const child = spawn(process.execPath, words, { env: { ...process.env, ...environment }, stdio: 'inherit' })
  const seen = { processorSeconds: 0, memoryMb: 0 }
  const look = async () => {
    seen.memoryMb = Math.max(seen.memoryMb, await memoryPeak(child.pid ?? 0))
    seen.processorSeconds = Math.max(seen.processorSeconds, await processorSeconds(child.pid ?? 0))
  }
  const looking = setInterval(() => void look(), 100)
  const [code] = await once(child, 'exit')
  clearInterval(looking)
  if (code !== 0 && code !== 2) throw new Error(`the import ended with ${code}`)
  return seen
}
