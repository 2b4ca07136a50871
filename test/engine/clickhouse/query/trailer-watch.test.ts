import { once } from 'node:events'
import { expect, it } from 'vitest'
import { Fault } from '../../../../src/base/fault.ts'
import { TrailerWatch } from '../../../../src/engine/clickhouse/query/trailer-watch.ts'

const codeOf = (error: unknown): string => (error instanceof Fault ? error.code : `no fault: ${String(error)}`)

/** A connection that is reset when rows are there and nobody has listened yet. */
async function brokenOff(tag: string, pieces: readonly string[]): Promise<[errored: string, emitted: string]> {
  const rows = new TrailerWatch(tag, () => {})
  for (const piece of pieces) rows.write(piece)
  const emitted = once(rows, 'error')
  rows.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }))
  return [codeOf(rows.errored), codeOf((await emitted)[0])]
}

it('is a store that is away when its connection breaks, also for who looks before listening', async () => {
  expect(await brokenOff('tag', ['[{"a":1}\n'])).toEqual(['SERVICE_UNAVAILABLE', 'SERVICE_UNAVAILABLE'])
})

it('has the reason the engine gave before it broke the connection off', async () => {
  const failure = '\r\n__exception__\r\ntagCode: 159. DB::Exception: Timeout exceeded. (TIMEOUT_EXCEEDED)'
  expect(await brokenOff('tag', ['[{"a":1}\n', failure])).toEqual(['QUERY_TOO_LARGE', 'QUERY_TOO_LARGE'])
})
