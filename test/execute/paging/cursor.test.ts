import { expect, it } from 'vitest'
import { hashOf, readCursor, writtenCursor, type Cursor } from '../../../src/execute/paging/cursor.ts'

const now = Temporal.Instant.from('2026-03-01T12:00:00Z')
const bound = { scope: { organisationId: 7 }, endpoint: '/metric_data', request: { limit: 3 } }
const pins = { asked: now.epochMilliseconds, storedBefore: now.epochMilliseconds + 5, state: 'state' }
const row = { panel: 1, agent: 4_294_967_295, dtime: '2026-02-28 23:59:59.999', skip: 0 }
const point = { point: 3, digest: 'digest' }

/** A cursor with a right seal, as a caller can write it who knows how. */
const forged = (members: unknown): string => writtenCursor(members as Cursor, bound)
const read = (members: unknown) => readCursor(forged(members), bound, now)

it.each([row, point])('reads the cursor at %j', (position) => {
  expect(read({ ...pins, position })).toEqual({ ...pins, position })
})

it('reads no cursor of another organisation, endpoint or request', () => {
  const text = forged({ ...pins, position: point })
  expect(readCursor(text, { ...bound, scope: { organisationId: 8 } }, now)).toBeNull()
  expect(readCursor(text, { ...bound, endpoint: '/test_data' }, now)).toBeNull()
  expect(readCursor(text, { ...bound, request: { limit: 4 } }, now)).toBeNull()
  expect(readCursor(text, { ...bound, request: { after: null, limit: 3 } }, now)).not.toBeNull()
})

it.each([
  'text',
  [],
  {},
  { ...pins, position: null },
  { ...pins, position: {} },
  { ...pins, position: { ...row, ...point } },
  ...['panel', 'agent', 'skip'].flatMap((name) =>
    ['1', -1, 0.5, 2 ** 32, null].map((value) => ({ ...pins, position: { ...row, [name]: value } })),
  ),
  ...[
    5,
    '',
    "2026-02-28 23:59:59.999'",
    '2026-02-28',
    '2026-02-28T23:59:59.999',
    '2026-02-30 00:00:00.000',
    '2026-02-28 24:00:00.000',
    '2026-02-28 23:59:60.000',
    '1969-12-31 23:59:59.999',
    '2106-02-08 00:00:00.000',
  ].map((dtime) => ({ ...pins, position: { ...row, dtime } })),
  { ...pins, position: { ...point, point: '3' } },
  { ...pins, position: { ...point, point: -1 } },
  { ...pins, position: { ...point, digest: 5 } },
  ...['asked', 'storedBefore'].flatMap((name) =>
    ['x', null, -1, 0.5, now.epochMilliseconds + 86_400_001, 8.64e15].map((value) => ({
      ...pins,
      [name]: value,
      position: point,
    })),
  ),
  { ...pins, state: 1, position: point },
])('reads no cursor that the service cannot have written: %j', (members) => {
  expect(read(members)).toBeNull()
})

it('reads no text that is a cursor only after decoding', () => {
  const text = forged({ ...pins, position: point })
  for (const other of [`${text}=`, `${text}A`, ` ${text}`, Buffer.from(text).toString(), hashOf(text)].filter(
    (one) => one !== text,
  ))
    expect(readCursor(other, bound, now)).toBeNull()
})
