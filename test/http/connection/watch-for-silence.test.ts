import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { watchForSilence } from '../../../src/http/connection/send-stream.ts'
import { pause } from '../../faults/attempt.ts'
import { undisturbed } from '../../kit/running-time.ts'

/** Long beside the moments a busy machine stands still for. */
const limitMs = 1_200

it('ends rows that have stopped coming, as if the engine were away', async () => {
  const rows = new PassThrough()
  watchForSilence(rows, limitMs)
  rows.resume().write('row')
  const startedAt = performance.now()
  const [error] = await once(rows, 'error')
  expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', detail: 'ClickHouse is away' })
  expect(performance.now() - startedAt).toBeGreaterThan(limitMs * 0.9)
})

it('bears with rows that come slowly, and with a caller who holds them up', () => undisturbed(bearWithSlowness), 30_000)

async function bearWithSlowness(): Promise<void> {
  const rows = new PassThrough()
  // What it is destroyed with is looked at below.
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
