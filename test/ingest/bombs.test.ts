import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { daily } from '../cases/metric-case.ts'
import { pause } from '../faults/attempt.ts'
import { childService, type ChildService } from '../faults/child-service.ts'
import { token } from '../kit/panels.ts'
import { isHardlySlower, watchService } from '../kit/watch-service.ts'
import type { Attack, BombName } from './bomb-sender.ts'
import { openIngestWorld, type IngestWorld } from './ingest-world.ts'

let ingest: IngestWorld
let service: ChildService
let watch: (milliseconds: number) => ReturnType<typeof watchService>

beforeAll(async () => {
  ingest = await openIngestWorld()
  service = await childService(ingest.world.environment)
  await service.start()
  const headers = {
    authorization: `Bearer ${await token(ingest.world, 'other', ['data:read'])}`,
    'content-type': 'application/json',
  }
  const body = JSON.stringify(daily('httpget', '2026-01-01', '2026-01-03'))
  const ask = async () => {
    const response = await fetch(`${service.address}/metric_data`, { method: 'POST', headers, body })
    await response.arrayBuffer()
    return response.status
  }
  // ClickHouse takes tens of milliseconds for this query. So the test shows nothing about requests that take only a few
  // milliseconds.
  watch = (milliseconds) => watchService(service, ask, milliseconds)
  // The first responses of a process are slow, so they are not measured.
  await watch(1_000)
}, 60_000)
afterAll(async () => {
  await service.kill()
  await ingest.world.close()
})

const inProc = (file: string) => readFileSync(`/proc/${service.pid()}/${file}`, 'utf8')
const memoryMb = (field: 'VmRSS' | 'VmHWM') =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(inProc('status'))?.[1]) / 1024

/** The CPU time of all threads of the service. The kernel counts it in hundredths of a second. */
function processorMs(): number {
  const fields = inProc('stat').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/**
 * Makes the worker thread create the bodies. Returns a function that sends them and returns the statuses that the
 * senders received.
 */
async function prepare(bombs: readonly BombName[], milliseconds: number): Promise<() => Promise<string[]>> {
  const { ingestAddress: address } = service
  const workerData: Attack = { address, token: ingest.token, bombs, senders: 32, milliseconds }
  const sender = new Worker(new URL('bomb-sender.ts', import.meta.url), { workerData })
  onTestFinished(async () => void (await sender.terminate()))
  await once(sender, 'message')
  return async () => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    sender.postMessage('go')
    const [statuses] = (await once(sender, 'message')) as [string[]]
    return statuses
  }
}

async function rejectedRows(): Promise<number> {
  const [kept] = await ingest.ask<{ rows: number }>(
    `SELECT toUInt32(count()) AS rows FROM ${ingest.world.name}.rejected_results`,
  )
  return kept?.rows ?? Infinity
}

const attacks: [string, readonly BombName[]][] = [
  ['bombs by gzip, by zstd and with a large window', ['zstd', 'window', 'gzip']],
  ['bodies of 480 MB packed as they may be', ['allowed']],
  ['bodies of 2 MB, in which every row is rejected,', ['small']],
]

it.each(attacks)(
  '32 senders of %s hardly delay another tenant, and cost nothing once they disconnect',
  async (_, bombs) => {
    const send = await prepare(bombs, 2_500)
    const rounds: string[] = []
    // Other load on the machine can make a round slow, so one good round is enough. An effect of the attack would show
    // in every round.
    for (let round = 0; round < 3; round += 1) {
      const quiet = await watch(1_500)
      const quietMb = memoryMb('VmRSS')
      // Reset the peak memory of the process (VmHWM) to its current memory.
      writeFileSync(`/proc/${service.pid()}/clear_refs`, '5')
      const [seen, statuses] = await Promise.all([watch(2_500), send()])
      const processorBefore = processorMs()
      await pause(1_500)
      const afterwardsMs = processorMs() - processorBefore
      const growthMb = memoryMb('VmHWM') - quietMb
      const keptRows = await rejectedRows()
      rounds.push(JSON.stringify({ quiet, seen, afterwardsMs, quietMb, growthMb, keptRows }))
      // '': the sender disconnected before the response. 200: stored. 413: the body decompresses to too many bytes.
      // 422: the decompression window is too large. 429: too many requests.
      expect(['', '200', '413', '422', '429']).toEqual(expect.arrayContaining([...new Set(statuses)]))
      expect(keptRows).toBeLessThan(20_000)
      if (isHardlySlower(quiet, seen) && afterwardsMs < 250 && growthMb < 250) return
    }
    expect.fail(rounds.join('\n'))
  },
  120_000,
)
