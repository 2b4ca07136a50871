import { Fault, validationFail } from '../../base/fault.ts'
import type { Scope } from '../../base/caller.ts'
import { isAbsent, isObject, messages } from '../../check/field-faults.ts'
import { positionAfter, rowAfter, type RowAfter, type RowPage } from '../../compile/metric/page/keyset.ts'
import { dayNumber } from '../../compile/metric/retention.ts'
import { type Sql, statement } from '../../base/sql.ts'
import { readStoredBefore } from '../../engine/clickhouse/exports/write-export.ts'
import { findPoints } from '../../engine/clickhouse/query/find-points.ts'
import type { AwaitedOrigin } from '../../engine/clickhouse/query/query-origin.ts'
import { readMetadataState } from '../../engine/postgres/metadata/dictionary-events.ts'
import type { Stores } from '../../engine/stores.ts'
import { hashOf, readCursor, writtenCursor, type Bound, type Cursor, type Position } from './cursor.ts'

/** A request without its cursor. `asked` is when the first page was asked for: relative times are relative to it. */
export type Opened = {
  readonly request: unknown
  readonly asked: Temporal.Instant
  readonly cursor: Cursor | null
  readonly bound: Bound
}

/** Throws the same 422 for every text that is not a cursor of this request. */
export function openPage(scope: Scope, endpoint: string, body: unknown, now: Temporal.Instant): Opened {
  const { after, ...request } = isObject(body) ? body : {}
  const bound = { scope, endpoint, request }
  if (isAbsent(after)) return { request: isObject(body) ? request : body, asked: now, cursor: null, bound }
  if (typeof after !== 'string') throw validationFail({ after: [messages.type('string')] })
  if (isAbsent(request['limit'])) throw validationFail({ after: ['Only a request with "limit" has pages.'] })
  const cursor = readCursor(after, bound, now)
  if (cursor === null) throw validationFail({ after: ['This is no cursor of this request.'] })
  return { request, asked: Temporal.Instant.fromEpochMilliseconds(cursor.asked), cursor, bound }
}

/** The parts of a plan that all pages of an answer must have in common. */
type Planned = {
  readonly test: string
  readonly otherTests?: readonly { readonly test: string }[]
  readonly panels: readonly number[]
  readonly erased: readonly number[]
  /** How long results are kept. If it is limited, an answer can lose results at midnight. */
  readonly keepDays?: number
}

/** One page of an answer. */
export class Page {
  readonly #opened: Opened
  readonly #pins: Omit<Cursor, 'position'>
  readonly #readState: () => Promise<string>

  constructor(opened: Opened, pins: Omit<Cursor, 'position'>, readState: () => Promise<string>) {
    this.#opened = opened
    this.#pins = pins
    this.#readState = readState
  }

  get storedBefore(): Temporal.Instant {
    return Temporal.Instant.fromEpochMilliseconds(this.#pins.storedBefore)
  }

  /** The page of rows that the request asks for. */
  rows(limit: number): RowPage {
    const { cursor } = this.#opened
    return { limit, from: cursor !== null && 'panel' in cursor.position ? cursor.position : null, to: null }
  }

  /** Throws a 409 if the metadata has changed since the first page. Call this after a statement has read the metadata. */
  async confirm(): Promise<void> {
    if (this.#opened.cursor !== null && (await this.#readState()) !== this.#pins.state) throw expired()
  }

  cursorAt(position: Position | null): string | null {
    return position === null ? null : writtenCursor({ ...this.#pins, position }, this.#opened.bound)
  }

  /**
   * Returns the points of the page, and the cursor of the next page. Every page computes all points; the digest proves that they
   * are still the same.
   */
  points<Row>(all: readonly Row[], limit: number): { readonly rows: readonly Row[]; readonly next: string | null } {
    const position = this.#opened.cursor?.position
    const { point: first, digest: expected } = position !== undefined && 'point' in position ? position : firstPoint
    const digest = hashOf(all)
    if (expected !== null && expected !== digest) throw expired()
    const next = first + limit
    return { rows: all.slice(first, next), next: this.cursorAt(next < all.length ? { point: next, digest } : null) }
  }
}

const firstPoint = { point: 0, digest: null }

const expired = (): Fault => new Fault('CURSOR_EXPIRED')

/** Returns null for a request without `limit`: its answer is one page. */
export async function pinPage(
  scope: Scope,
  { postgres, lookups }: Pick<Stores, 'postgres' | 'lookups'>,
  opened: Opened,
  planned: Planned & { readonly limit?: number },
  now: () => Temporal.Instant,
  origin: Pick<AwaitedOrigin, 'endpoint' | 'requestId'>,
): Promise<Page | null> {
  if (planned.limit === undefined) return null
  const { panels, erased, keepDays } = planned
  const readState = async (): Promise<string> => {
    const day = keepDays === undefined ? null : dayNumber(now())
    return hashOf([await readMetadataState(scope, postgres, panels), panels, erased, day])
  }
  if (opened.cursor !== null) return new Page(opened, opened.cursor, readState)
  const [storedBefore, state] = await Promise.all([readStoredBefore(scope, lookups, planned, origin), readState()])
  const pins = { asked: opened.asked.epochMilliseconds, storedBefore: storedBefore.epochMilliseconds, state }
  return new Page(opened, pins, readState)
}

/** A page of rows, and the cursor of the next one. Empty if the request has no `limit`. */
type FoundPage = { readonly page?: RowPage; readonly next?: string | null }

/** Finds where a page of rows ends. `rowsOf` returns the statement of the rows of a plan without their columns. */
export async function findPage<Plan extends { readonly limit?: number }>(
  scope: Scope,
  { clickhouse }: Pick<Stores, 'clickhouse'>,
  pinned: Page | null,
  plan: Plan,
  rowsOf: (database: string, plan: Plan & { readonly page: RowPage }) => (columns: Sql) => Sql,
  origin: AwaitedOrigin,
): Promise<FoundPage> {
  if (pinned === null || plan.limit === undefined) return {}
  const page = pinned.rows(plan.limit)
  const query = statement(rowAfter(page, rowsOf(clickhouse.database, { ...plan, page })))
  const [row] = await findPoints<RowAfter>(scope, clickhouse, query, origin)
  await pinned.confirm()
  const to = positionAfter(page, row)
  return { page: { ...page, to }, next: pinned.cursorAt(to) }
}
