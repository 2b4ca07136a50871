import { randomUUID } from 'node:crypto'
import { UserFacingError } from '../base/fault.ts'
import type { TestDefinition } from '../catalog/define-test.ts'
import {
  countDuplicates,
  countReplicas,
  deleteSurplus,
  recordSurplus,
  type NodeTable,
} from '../compile/ingest/duplicates.ts'
import type { ClickHouse } from '../engine/clickhouse/clickhouse.ts'
import { runMaintenance, findByMaintenance } from '../engine/clickhouse/ingest/run-maintenance.ts'

/** Duplicate results of one test and month in ClickHouse. */
export type Duplicates = { test: string; month: number; results: number; surplus: number; differing: number }

type Month = Omit<Duplicates, 'test'>
type Node = ClickHouse['nodes'][number]

/**
 * Maximum number of attempts. A merge may move rows after they are found and before they are deleted. A table without merges
 * needs one attempt.
 */
const roundsMax = 10

/** Finds duplicate results. All rows of an agent are on one node, so each node can search its own rows. */
export async function findDuplicates(clickhouse: ClickHouse, test: TestDefinition): Promise<Duplicates[]> {
  const months = await Promise.all(
    clickhouse.nodes.map((node) => findByMaintenance<Month>(node, countDuplicates(tableOf(clickhouse, test)))),
  )
  return Map.groupBy(months.flat(), ({ month }) => month)
    .entries()
    .map(([month, found]) => ({
      test: test.key,
      month,
      results: sum(found, 'results'),
      surplus: sum(found, 'surplus'),
      differing: sum(found, 'differing'),
    }))
    .toArray()
    .toSorted((one, other) => one.month - other.month)
}

/** Removes all but the first stored row of each result. When it returns or throws, no node is still removing rows. */
export async function removeDuplicates(clickhouse: ClickHouse, test: TestDefinition): Promise<void> {
  const table = tableOf(clickhouse, test)
  for (const node of clickhouse.nodes) await refuseReplicas(node, table)
  const removals = await Promise.allSettled(clickhouse.nodes.map((node) => removeOnNode(node, table)))
  const failed = removals.find((one) => one.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

/**
 * Throws if the table has replicas. The delete identifies rows by their position in one node's parts; a replica has other parts
 * and would delete other rows.
 */
async function refuseReplicas(node: Node, table: NodeTable): Promise<void> {
  const [found] = await findByMaintenance<{ replicas: number | string }>(node, countReplicas(table))
  if (Number(found?.replicas ?? 0) === 0) return
  throw new UserFacingError(
    'Duplicates in replicated tables cannot be removed yet, because the removal is untested on replicas.',
  )
}

async function removeOnNode(node: Node, table: NodeTable): Promise<void> {
  for (let round = 0; round < roundsMax; round += 1) {
    const months = await findByMaintenance<Month>(node, countDuplicates(table))
    if (months.length === 0) return
    for (const { month } of months) {
      const run = randomUUID()
      await runMaintenance(node, recordSurplus(table, month, run))
      await runMaintenance(node, deleteSurplus(table, month, run))
    }
  }
  throw new UserFacingError(
    `ClickHouse keeps moving rows of ${table.test.key} during the removal; run the command again when fewer rows are inserted.`,
  )
}

const tableOf = ({ database, cluster }: ClickHouse, test: TestDefinition): NodeTable => ({
  test,
  database,
  isShard: cluster !== null,
})

const sum = (months: readonly Month[], what: 'results' | 'surplus' | 'differing'): number =>
  months.reduce((all, month) => all + month[what], 0)
