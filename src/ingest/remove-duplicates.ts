import { randomUUID } from 'node:crypto'
import { SpokenError } from '../base/fault.ts'
import type { TestDefinition } from '../catalog/define-test.ts'
import {
  countDuplicates,
  countReplicas,
  deleteSurplus,
  noteSurplus,
  type NodeTable,
} from '../compile/ingest/duplicates.ts'
import type { ClickHouse } from '../engine/clickhouse/clickhouse.ts'
import { runMaintenance, findByMaintenance } from '../engine/clickhouse/ingest/run-maintenance.ts'

/** Results of a test and a month that are stored more than once. */
export type Duplicates = { test: string; month: number; results: number; surplus: number; differing: number }

type Month = Omit<Duplicates, 'test'>
type Node = ClickHouse['nodes'][number]

/** Merges move rows while they are looked for; a quiet table needs one round. */
const roundsMax = 10

/** An agent's rows are all on one node, so that each node is looked at by itself. */
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

/** Removes all but the first stored row of each result. When it has ended, no node is still at it, whatever went wrong. */
export async function removeDuplicates(clickhouse: ClickHouse, test: TestDefinition): Promise<void> {
  const table = tableOf(clickhouse, test)
  for (const node of clickhouse.nodes) await refuseReplicas(node, table)
  const removals = await Promise.allSettled(clickhouse.nodes.map((node) => removeOnNode(node, table)))
  const failed = removals.find((one) => one.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

/** Which rows go is told by their places in the parts of one node. A replica would look them up among its own. */
async function refuseReplicas(node: Node, table: NodeTable): Promise<void> {
  const [found] = await findByMaintenance<{ replicas: number | string }>(node, countReplicas(table))
  if (Number(found?.replicas ?? 0) === 0) return
  throw new SpokenError('Duplicates of replicated tables cannot be removed yet: nobody has tried it on real replicas.')
}

async function removeOnNode(node: Node, table: NodeTable): Promise<void> {
  for (let round = 0; round < roundsMax; round += 1) {
    const months = await findByMaintenance<Month>(node, countDuplicates(table))
    if (months.length === 0) return
    for (const { month } of months) {
      const run = randomUUID()
      await runMaintenance(node, noteSurplus(table, month, run))
      await runMaintenance(node, deleteSurplus(table, month, run))
    }
  }
  throw new SpokenError(
    `Rows of ${table.test.key} keep moving while they are removed; run it again when the table is quiet.`,
  )
}

const tableOf = ({ database, cluster }: ClickHouse, test: TestDefinition): NodeTable => ({
  test,
  database,
  isShard: cluster !== null,
})

const sum = (months: readonly Month[], what: 'results' | 'surplus' | 'differing'): number =>
  months.reduce((all, month) => all + month[what], 0)
