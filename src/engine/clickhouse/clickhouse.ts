import { ClickHouseLogLevel, createClient, type ClickHouseClient } from '@clickhouse/client'
import { Fault, storeAway } from '../../base/fault.ts'
import { limits } from '../../base/limits.ts'
import { toEngineFault } from './engine-fault.ts'

/** One machine of the engine. */
export type ClickHouseNode = ClickHouseClient

/** The engine as one of its users sees it: a client for every node, all of the same database. */
export type ClickHouse = {
  readonly nodes: readonly ClickHouseClient[]
  readonly database: string
  /** Name of the cluster the nodes form, null for a single node. */
  readonly cluster: string | null
  close: () => Promise<void>
}

export type ClickHouseOptions = {
  urls: readonly string[]
  database: string
  cluster: string | null
  user: string
  password: string
  /** How long nothing may arrive. Other than the default for work that callers do not wait for, and for streams. */
  timeoutMs?: number
  /** Connections to each node; the client's own default is 10. */
  connectionsMax?: number
}

export function openClickHouse(options: ClickHouseOptions): ClickHouse {
  const { urls, database, cluster, user, password, timeoutMs = limits.clientTimeoutMs, connectionsMax } = options
  const nodes = urls.map((url) =>
    createClient({
      url,
      // Statements name their database; a connection to one that does not exist yet could not create it.
      username: user,
      password,
      request_timeout: timeoutMs,
      application: 'broadgauge',
      ...(connectionsMax === undefined ? {} : { max_open_connections: connectionsMax }),
      // It writes to the console by itself; what matters is thrown, and logged once by whoever catches it.
      log: { level: ClickHouseLogLevel.OFF },
      keep_alive: { enabled: true },
      // A thousand filter values do not fit into an address.
      use_multipart_params_auto: true,
    }),
  )
  return { nodes, database, cluster, close: async () => void (await Promise.all(nodes.map((node) => node.close()))) }
}

/** What its spans say. */
export const inClickHouse = { 'db.system.name': 'clickhouse' }

/** Turns what the engine or the way to it refuses into an answer; every other error stays what it is. */
export async function speaking<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw toEngineFault(error)
  }
}

/**
 * Like `speaking`, for work in which nobody could narrow anything, such as storing what was sent: an engine that has not the
 * time or the memory for it is away, and whoever waits tries again.
 */
export async function speakingAsStore<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await speaking(work)
  } catch (error) {
    throw error instanceof Fault && error.code === 'QUERY_TOO_LARGE' ? storeAway('ClickHouse', error.cause) : error
  }
}
