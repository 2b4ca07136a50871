import type { ClickHouse } from '../../src/engine/clickhouse/clickhouse.ts'

/** What queries have made a node of the engine do so far. */
export type EngineWork = { readonly rows: number; readonly bytes: number; readonly processorSeconds: number }

type Count = { event: string; value: number }

/** Of every node, by its own counters. Reading them counts too: a few hundred rows. */
export const engineWork = ({ nodes }: ClickHouse): Promise<EngineWork[]> =>
  Promise.all(
    nodes.map(async (node) => {
      const result = await node.query({
        query: `SELECT event, toFloat64(value) AS value FROM system.events
          WHERE event IN ('SelectedRows', 'SelectedBytes', 'OSCPUVirtualTimeMicroseconds')`,
        format: 'JSONEachRow',
      })
      const counts = await result.json<Count>()
      const count = (event: string): number => counts.find((one) => one.event === event)?.value ?? 0
      return {
        rows: count('SelectedRows'),
        bytes: count('SelectedBytes'),
        processorSeconds: count('OSCPUVirtualTimeMicroseconds') / 1e6,
      }
    }),
  )

export const workBetween = (before: readonly EngineWork[], after: readonly EngineWork[]): EngineWork[] =>
  after.map((now, index) => {
    const { rows = 0, bytes = 0, processorSeconds = 0 } = before[index] ?? {}
    return {
      rows: now.rows - rows,
      bytes: now.bytes - bytes,
      processorSeconds: now.processorSeconds - processorSeconds,
    }
  })
