import { once } from 'node:events'
import { expect, it } from 'vitest'
import { Fault } from '../../../../src/base/fault.ts'
import { TrailerWatch } from '../../../../src/engine/clickhouse/query/trailer-watch.ts'

const codeOf = (error: unknown): string => (error instanceof Fault ? error.code : `no fault: ${String(error)}`)

/**
 * Simulates a connection that is reset after `pieces` have arrived and before a reader listens. Returns the error that
 * the stream stores and the error that it emits.
 */
async function brokenOff(tag: string, pieces: readonly string[]): Promise<[errored: string, emitted: string]> {
  const rows = new TrailerWatch(tag, () => {})
  for (const piece of pieces) rows.write(piece)
  const emitted = once(rows, 'error')
  rows.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }))
  return [codeOf(rows.errored), codeOf((await emitted)[0])]
}

it('reports an unavailable store if the connection breaks, also to a reader that starts late', async () => {
  expect(await brokenOff('tag', ['[{"a":1}\n'])).toEqual(['SERVICE_UNAVAILABLE', 'SERVICE_UNAVAILABLE'])
})

it("has ClickHouse's reason from before it broke the connection off", async () => {
  const failure = '\r\n__exception__\r\ntagCode: 159. DB::Exception: Timeout exceeded. (TIMEOUT_EXCEEDED)'
  expect(await brokenOff('tag', ['[{"a":1}\n', failure])).toEqual(['QUERY_TOO_LARGE', 'QUERY_TOO_LARGE'])
})
