import { limits } from '../../base/limits.ts'
import { speaking, type ClickHouse } from './clickhouse.ts'

/** Every node runs a query; one that hangs counts as away. */
export async function pingClickHouse({ nodes }: ClickHouse): Promise<void> {
  await Promise.all(
    nodes.map((node) =>
      speaking(async () => {
        const deadline = AbortSignal.timeout(limits.readinessTimeoutMs)
        const result = await node.query({ query: 'SELECT 1', format: 'JSONCompact', abort_signal: deadline })
        await result.text()
      }),
    ),
  )
}
