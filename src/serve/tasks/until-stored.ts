import type { ClickHouse } from '../../engine/clickhouse/clickhouse.ts'
import { countInserts } from '../../engine/clickhouse/ingest/count-inserts.ts'
import { patiently } from './patiently.ts'

const otherwise =
  'Results that were sent before have been under way into ClickHouse for very long, and may be those of the agent. Try again.'

/** Waits for everything that is being stored when this is called; not for what comes later. */
export async function untilStored(clickhouse: ClickHouse): Promise<void> {
  const calledAt = performance.now()
  const inserts = () => countInserts(clickhouse, performance.now() - calledAt)
  await patiently(async () => ((await inserts()) === 0 ? true : null), otherwise)
}
