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
  findRowsOfBuild,
  readEngineClock,
} from '../../../compile/rollup/late-results.ts'
import type { Zone } from '../../../compile/metric/clock/zone-offsets.ts'
import type { StoredSince } from '../../postgres/rollup/rollup-builds.ts'
import { findIn, runIn } from '../query/ask.ts'
import type { ClickHouse } from '../clickhouse.ts'
import { firstNode, nextNode } from '../next-node.ts'
import type { Sql } from '../../../base/sql.ts'

const settings: ClickHouseSettings = {
  async_insert: 0,
  // The statement returns when every shard has stored its rows.
  distributed_foreground_insert: 1,
  // Each shard rolls up its own results. Only newer versions of ClickHouse have this value as the default.
  parallel_distributed_insert_select: '2',
  max_execution_time: limits.maintenanceTimeoutMs / 1000,
}

/** The number of a build is already in use. The days to build are not the cause, so they do not count as failed. */
export class UsedBuildNumber extends Error {
  constructor(build: number) {
    super(
      `rows of build ${build} exist already: PostgreSQL was restored from a backup and ClickHouse was not, see docs/backup.md; ` +
        'the next number is tried',
    )
    this.name = 'UsedBuildNumber'
  }
}

/**
 * Rolls up the days of a build. Sends the statements to one node only: if every node ran them, each replica would store the
 * same rows again. The function can be interrupted at any time.
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
  // Skip the build if its days have no results, for example because the panel has ended.
  const asking = { settings, signal }
  if ((await findIn(client, findAnyResult(database, build), asking)).length === 0) return
  if ((await findIn(client, findRowsOfBuild(database, build), asking)).length > 0)
    throw new UsedBuildNumber(build.build)
  for (const query of buildStatements(database, catalog, zones, build))
    await runIn(client, query, { ...asking, name: `${buildQueryPrefix(database)}${build.build}-${randomUUID()}` })
}

/**
 * Returns the time on the node whose clock is furthest behind, minus `quietMs`. All rows with an earlier `ingested_at` are
 * stored. The time is in UTC, in ClickHouse's format.
 */
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

/**
 * A block size that is larger than any insert, so that an insert is one block. ClickHouse stores a block completely or not at
 * all.
 */
const unlimited = '1000000000000'

/**
 * Runs an INSERT … SELECT inside ClickHouse and waits until every shard has its rows. The statement selects rows that are not
 * stored yet. So it must not run while an earlier statement with the same name runs: it would also insert the rows that the
 * earlier statement is about to store. The earlier statement can still run after its caller has disconnected.
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
