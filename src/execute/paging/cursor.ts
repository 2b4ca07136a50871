import { createHash } from 'node:crypto'
import type { Scope } from '../../base/caller.ts'
import { isAbsent, isObject } from '../../check/field-faults.ts'
import type { RowPosition } from '../../compile/metric/page/keyset.ts'

/** Where a page begins: at a row of a table, or at a point of a response with a digest of all of its points. */
export type Position = RowPosition | { readonly point: number; readonly digest: string }

/** What all pages of an answer have in common, and where the next page begins. Times are in milliseconds. */
export type Cursor = {
  /** When the first page was asked for. */
  readonly asked: number
  /** Pages contain only results that were stored before this time. */
  readonly storedBefore: number
  /** The state of the metadata, from `readState`. */
  readonly state: string
  readonly position: Position
}

/** What a cursor is bound to. */
export type Bound = { readonly scope: Scope; readonly endpoint: string; readonly request: unknown }

export const hashOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('base64url')

/** The text that the caller gets. It contains no secret: a caller that writes one can only ask for its own results. */
export function writtenCursor(cursor: Cursor, bound: Bound): string {
  return Buffer.from(JSON.stringify([cursor, sealOf(cursor, bound)])).toString('base64url')
}

/**
 * Returns null for a text that `writtenCursor` could not have returned for the same organisation, endpoint and request. The seal
 * has no secret, so a caller can write a cursor with any members: each of them is checked.
 */
export function readCursor(text: string, bound: Bound, now: Temporal.Instant): Cursor | null {
  const [cursor, seal] = parsed(text)
  return isCursor(cursor, now) && seal === sealOf(cursor, bound) && writtenCursor(cursor, bound) === text
    ? cursor
    : null
}

const sealOf = (cursor: Cursor, { scope, endpoint, request }: Bound): string =>
  hashOf([scope.organisationId, endpoint, canonical(request), cursor])

function parsed(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

/** Another instance or ClickHouse can have written the time of a cursor, and its clock can be ahead. */
const clockDifferenceMaxMs = 86_400_000

function isCursor(value: unknown, now: Temporal.Instant): value is Cursor {
  if (!isObject(value)) return false
  const latest = now.epochMilliseconds + clockDifferenceMaxMs
  const { asked, storedBefore, state, position } = value
  return isWhole(asked, latest) && isWhole(storedBefore, latest) && typeof state === 'string' && isPosition(position)
}

function isPosition(value: unknown): boolean {
  if (!isObject(value)) return false
  const { panel, agent, dtime, skip, point, digest } = value
  if ('point' in value) return isWhole(point) && typeof digest === 'string' && !('panel' in value)
  return isWhole(panel) && isWhole(agent) && isWhole(skip) && isTime(dtime)
}

/** The numbers of a cursor are UInt32 in ClickHouse, or count rows. */
const isWhole = (value: unknown, max = 2 ** 32 - 1): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max

/** A `DateTime64(3)` as ClickHouse writes it. Results cannot be before 1970 or after 2106. */
function isTime(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/.test(value)) return false
  const milliseconds = Date.parse(`${value.replace(' ', 'T')}Z`)
  return (
    isWhole(milliseconds, 2 ** 32 * 1000) &&
    new Date(milliseconds).toISOString().slice(0, 23) === value.replace(' ', 'T')
  )
}

/** Sorts the members of objects, and leaves out those that are absent, so that equal requests are equal texts. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (!isObject(value)) return value
  return Object.entries(value)
    .filter(([, member]) => !isAbsent(member))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => [name, canonical(member)])
}
