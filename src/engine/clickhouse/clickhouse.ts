import { ClickHouseLogLevel, createClient, type ClickHouseClient } from '@clickhouse/client'
import { Fault, storeUnavailable } from '../../base/fault.ts'
import { limits } from '../../base/limits.ts'
import { connectAgent } from './connect-agent.ts'
import { toEngineFault } from './engine-fault.ts'

export type ClickHouseNode = ClickHouseClient

/** Connections to ClickHouse as one of its users: one client per node. All nodes use the same database. */
export type ClickHouse = {
  readonly nodes: readonly ClickHouseClient[]
  readonly database: string
  /** Name of the cluster that the nodes belong to; null for a single node. */
  readonly cluster: string | null
  close: () => Promise<void>
}

export type ClickHouseOptions = {
  urls: readonly string[]
  database: string
  cluster: string | null
  user: string
  password: string
  /** How long a connection may be silent. Jobs and streams set another value than the default. */
  timeoutMs?: number
  /** Maximum number of connections per node. The default is 10, as in the client library. */
  connectionsMax?: number
}

export function openClickHouse(options: ClickHouseOptions): ClickHouse {
  const { urls, database, cluster, user, password, timeoutMs = limits.clientTimeoutMs, connectionsMax = 10 } = options
  const nodes = urls.map((url) =>
    createClient({
      url,
      // No default database: every statement names its database. A connection to a database that does not exist yet could not
      // create it.
      username: user,
      password,
      request_timeout: timeoutMs,
      application: 'broadgauge',
      http_agent: connectAgent(url, connectionsMax),
      // The client library would log errors to the console. They are thrown too, and the code that catches them logs them.
      log: { level: ClickHouseLogLevel.OFF },
      keep_alive: { enabled: true },
      // A query can have a thousand filter values, which do not fit into a URL.
      use_multipart_params_auto: true,
    }),
  )
  return { nodes, database, cluster, close: async () => void (await Promise.all(nodes.map((node) => node.close()))) }
}

/** Attributes of the trace spans of requests to ClickHouse. */
export const inClickHouse = { 'db.system.name': 'clickhouse' }

/** Maps errors of ClickHouse and of the connection to faults. Other errors stay unchanged. */
export async function mapStoreErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw toEngineFault(error)
  }
}

/**
 * Like `mapStoreErrors`, but for work that the caller cannot make smaller, such as storing an ingest request. If ClickHouse
 * runs out of time or memory, it counts as unavailable (503), and the sender retries.
 */
export async function mapClickHouseErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await mapStoreErrors(work)
  } catch (error) {
    throw error instanceof Fault && error.code === 'QUERY_TOO_LARGE'
      ? storeUnavailable('ClickHouse', error.cause)
      : error
  }
}
