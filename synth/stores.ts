import type { ClickHouse } from '../src/engine/clickhouse/clickhouse.ts'
import type { Operator } from '../src/engine/postgres/operator/operator.ts'

/** Connections to PostgreSQL as the operator, and to ClickHouse as the ingest user and as the dictionary user. */
export type SynthesisStores = { operator: Operator; ingest: ClickHouse; dictionaries: ClickHouse }

/** Reports that `done` of `of` units of a step are finished. */
export type OnStep = (step: { readonly step: string; readonly done: number; readonly of: number }) => void
