import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { watchForSilence } from '../../../src/http/connection/send-stream.ts'
import { pause } from '../../faults/attempt.ts'
import { undisturbed } from '../../kit/running-time.ts'

/** The limit is longer than the usual freezes of a busy machine. */
const limitMs = 1_200

it('ends a stream whose rows have stopped, as if ClickHouse were unavailable', async () => {
  const rows = new PassThrough()
  watchForSilence(rows, limitMs)
  rows.resume().write('row')
  const startedAt = performance.now()
  const [error] = await once(rows, 'error')
  expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', detail: 'ClickHouse is unavailable' })
  expect(performance.now() - startedAt).toBeGreaterThan(limitMs * 0.9)
})

it('accepts slow rows, and a caller that reads slowly', () => undisturbed(bearWithSlowness), 30_000)

async function bearWithSlowness(): Promise<void> {
  const rows = new PassThrough()
  // The stream is destroyed with an error. Without a listener, this error would end the process. The test checks the
  // error below.
  rows.on('error', () => {})
  watchForSilence(rows, limitMs)
  rows.resume()
  for (let row = 0; row < 6; row += 1) {
    rows.write('row')
    await pause(limitMs / 4)
  }
  rows.pause()
  await pause(limitMs * 2.5)
  rows.resume()
  await pause(limitMs / 4)
  expect(rows.destroyed).toBe(false)
  rows.end('last')
  await once(rows, 'close')
  expect(rows.errored).toBeNull()
}
