import type { ClickHouseClient } from '@clickhouse/client'
import { storeAway } from '../../../base/fault.ts'

type Summary = Awaited<ReturnType<ClickHouseClient['exec']>>['summary']

/**
 * What the engine says it has read and written. A reply without it, as a proxy between us may make it, tells nothing: none
 * read and none written would look like all of them.
 */
export function toldSummary(summary: Summary): NonNullable<Summary> {
  if (summary !== undefined) return summary
  throw storeAway('ClickHouse', new Error('the reply has no X-ClickHouse-Summary: does a proxy take it away?'))
}
