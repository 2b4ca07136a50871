import type { ClickHouse } from '../../src/engine/clickhouse/clickhouse.ts'

/** Counters of a ClickHouse node: the rows and bytes that its queries have read so far, and their CPU time. */
export type EngineWork = { readonly rows: number; readonly bytes: number; readonly processorSeconds: number }

type Count = { event: string; value: number }

/** Reads the counters of every node. The read itself adds a few hundred rows to them. */
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
