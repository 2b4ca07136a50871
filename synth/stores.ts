import type { ClickHouse } from '../src/engine/clickhouse/clickhouse.ts'
import type { Operator } from '../src/engine/postgres/operator/operator.ts'

/** The stores a panel is written to: as the operator, as the user that inserts, as the user that reloads dictionaries. */
export type SynthesisStores = { operator: Operator; ingest: ClickHouse; dictionaries: ClickHouse }

/** What is being done, how much of it is done, and how much there is. */
export type OnStep = (step: { readonly step: string; readonly done: number; readonly of: number }) => void
