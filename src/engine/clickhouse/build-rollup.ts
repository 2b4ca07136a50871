import type { ClickHouseClient } from '@clickhouse/client'
import { randomUUID } from 'node:crypto'
import { limits } from '../../base/limits.ts'
import { rollupLimits } from '../../base/rollup-limits.ts'
import { statement, type Sql } from '../../base/sql.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { buildStatements } from '../../compile/rollup/build-rollup.ts'
import type { RollupBuild } from '../../compile/rollup/plan-of-build.ts'
import {
  buildQueryPrefix,
  findAnyResult,
  findStoredSince,
  findSumsOfBuild,
  readEngineClock,
} from '../../compile/rollup/late-results.ts'
import type { Zone } from '../../compile/zone-offsets.ts'
import type { StoredSince } from '../postgres/rollup-builds.ts'
import { speaking, type ClickHouse } from './clickhouse.ts'
import { nextNode } from './next-node.ts'

/**
 * Puts the days of a build together, by way of one node for all of them: of replicas each would store the same sums again.
 * Begun and not ended, it has done no harm.
 */
export async function buildRollup(
  clickhouse: ClickHouse,
  catalog: Catalog,
  zones: readonly Zone[],
  build: RollupBuild,
  signal: AbortSignal,
): Promise<void> {
  const { database } = clickhouse
  const client = nextNode(clickhouse)
  // Nobody reported in half of the quarters of a panel that has come to its end.
  if ((await find(client, findAnyResult(database, build), signal)).length === 0) return
  if ((await find(client, findSumsOfBuild(database, build), signal)).length > 0)
    throw new Error(
      `sums of build ${build.build} are there already: PostgreSQL was set back and ClickHouse was not, see docs/backup.md; ` +
        'the next number is tried',
    )
  await speaking(async () => {
    for (const query of buildStatements(database, catalog, zones, build))
      await client.command({
        ...options(query, signal),
        query_id: `${buildQueryPrefix(database)}${build.build}-${randomUUID()}`,
      })
  })
}

/** The time of the node that is furthest behind, less what a row may take to be stored. UTC, as the engine writes times. */
export async function readQuietTime({ nodes }: ClickHouse, signal: AbortSignal): Promise<string> {
  const clocks = await Promise.all(nodes.map((client) => find<{ now: string }>(client, readEngineClock, signal)))
  const times = clocks.flat().map(({ now }) => Temporal.Instant.from(`${now.replace(' ', 'T')}Z`))
  const least = Math.min(...times.map(({ epochMilliseconds }) => epochMilliseconds))
  const quiet = Temporal.Instant.fromEpochMilliseconds(least - rollupLimits.quietMs)
  return quiet.toString({ fractionalSecondDigits: 3 }).replace('T', ' ').replace('Z', '')
}

export async function findStored(
  clickhouse: ClickHouse,
  test: string,
  since: string | null,
  signal: AbortSignal,
): Promise<StoredSince[]> {
  return find<StoredSince>(nextNode(clickhouse), findStoredSince(clickhouse.database, test, since), signal)
}

function options(query: Sql, signal: AbortSignal) {
  // The client listens for the abort only: one that has been is nothing to it.
  signal.throwIfAborted()
  const { text, params } = statement(query)
  return {
    query: text,
    query_params: { ...params },
    clickhouse_settings: {
      async_insert: 0 as const,
      // The rows are there when it returns, on whatever shard.
      distributed_foreground_insert: 1 as const,
      // Each shard puts its own results together. The engine's default, but it was not always.
      parallel_distributed_insert_select: '2',
      max_execution_time: limits.maintenanceTimeoutMs / 1000,
    },
    abort_signal: signal,
  }
}

const find = <Row>(client: ClickHouseClient, query: Sql, signal: AbortSignal): Promise<Row[]> =>
  speaking(async () => {
    const result = await client.query({ ...options(query, signal), format: 'JSONEachRow' })
    return result.json<Row>()
  })
