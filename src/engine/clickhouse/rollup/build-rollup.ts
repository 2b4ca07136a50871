import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client'
import { limits, rollupLimits } from '../../../base/limits.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import { buildStatements, type RollupBuild } from '../../../compile/rollup/build-rollup.ts'
import {
  buildQueryPrefix,
  findAnyResult,
  findStoredSince,
  findSumsOfBuild,
  readEngineClock,
} from '../../../compile/rollup/late-results.ts'
import type { Zone } from '../../../compile/metric/zone-offsets.ts'
import type { StoredSince } from '../../postgres/rollup/rollup-builds.ts'
import { findIn, runIn } from '../query/ask.ts'
import type { ClickHouse } from '../clickhouse.ts'
import { firstNode, nextNode } from '../next-node.ts'
import type { Sql } from '../../../base/sql.ts'

const settings: ClickHouseSettings = {
  async_insert: 0,
  // The rows are there when it returns, on whatever shard.
  distributed_foreground_insert: 1,
  // Each shard puts its own results together. The engine's default, but it was not always.
  parallel_distributed_insert_select: '2',
  max_execution_time: limits.maintenanceTimeoutMs / 1000,
}

/** Says nothing of the days that were to be built. */
export class UsedBuildNumber extends Error {
  constructor(build: number) {
    super(
      `sums of build ${build} are there already: PostgreSQL was set back and ClickHouse was not, see docs/backup.md; ` +
        'the next number is tried',
    )
    this.name = 'UsedBuildNumber'
  }
}

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
  const asking = { settings, signal }
  if ((await findIn(client, findAnyResult(database, build), asking)).length === 0) return
  if ((await findIn(client, findSumsOfBuild(database, build), asking)).length > 0)
    throw new UsedBuildNumber(build.build)
  for (const query of buildStatements(database, catalog, zones, build))
    await runIn(client, query, { ...asking, name: `${buildQueryPrefix(database)}${build.build}-${randomUUID()}` })
}

/** The time of the node that is furthest behind, less what a row may take to be stored. UTC, as the engine writes times. */
export async function readQuietTime({ nodes }: ClickHouse, signal: AbortSignal): Promise<string> {
  const clocks = await Promise.all(
    nodes.map((node) => findIn<{ now: string }>(node, readEngineClock, { settings, signal })),
  )
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
  return findIn<StoredSince>(nextNode(clickhouse), findStoredSince(clickhouse.database, test, since), {
    settings,
    signal,
  })
}

/** More rows and bytes than any insertion has: whatever is selected becomes one block, and a block is stored whole or not. */
const unlimited = '1000000000000'

/**
 * Runs an INSERT … SELECT that the engine answers by itself, and waits until every shard has its rows. While one of the
 * same name runs, also for somebody who has hung up, another waits: what looks for rows that are there must not miss
 * those that are on their way.
 */
export async function insertSelection(clickhouse: ClickHouse, name: string, insertion: Sql): Promise<void> {
  const node = firstNode(clickhouse)
  while (!(await ranAlone(node, name, insertion))) await pause(500)
}

const insertSettings: ClickHouseSettings = {
  async_insert: 0,
  distributed_foreground_insert: 1,
  max_insert_threads: '1',
  min_insert_block_size_rows: unlimited,
  min_insert_block_size_bytes: unlimited,
  wait_end_of_query: 1,
}

const isRunningAlready = '216'

async function ranAlone(node: ClickHouseClient, name: string, insertion: Sql): Promise<boolean> {
  try {
    await runIn(node, insertion, { name, settings: insertSettings })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === isRunningAlready) return false
    throw error
  }
}
