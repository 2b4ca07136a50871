import { ClickHouseLogLevel, createClient, type ClickHouseClient } from '@clickhouse/client'
import { storeAway } from '../../base/fault.ts'
import { limits } from '../../base/limits.ts'

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
  /** For work that callers do not wait for. */
  timeoutMs?: number
}

export function openClickHouse(options: ClickHouseOptions): ClickHouse {
  const { urls, database, cluster, user, password, timeoutMs = limits.clientTimeoutMs } = options
  const nodes = urls.map((url) =>
    createClient({
      url,
      // Statements name their database; a connection to one that does not exist yet could not create it.
      username: user,
      password,
      request_timeout: timeoutMs,
      application: 'broadgauge',
      // It writes to the console by itself; what matters is thrown, and logged once by whoever catches it.
      log: { level: ClickHouseLogLevel.OFF },
      keep_alive: { enabled: true },
      // A thousand filter values do not fit into an address.
      use_multipart_params_auto: true,
    }),
  )
  return { nodes, database, cluster, close: async () => void (await Promise.all(nodes.map((node) => node.close()))) }
}

/** Turns "the engine is away" into an answer; every other error stays what it is. */
export async function speaking<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw isAway(error) ? storeAway('ClickHouse', error) : error
  }
}

/** Too many parts, simultaneous queries, not enough space, network error: the engine's state, not the query's fault. */
const awayEngineCodes = new Set(['202', '210', '243', '252'])
const awaySystemCodes = /^(ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/
const awayMessages = /^(Timeout error|socket hang up|The (user|operation was) aborted)/i

function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  return awayEngineCodes.has(code) || awaySystemCodes.test(code) || awayMessages.test(error.message)
}
