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
  // Queries, which take the engine tens of milliseconds: this says nothing of requests that take a few.
  watch = (milliseconds) => watchService(service, ask, milliseconds)
  // The first answers of a process are slow.
  await watch(1_000)
}, 60_000)
afterAll(async () => {
  await service.kill()
  await ingest.world.close()
})

const inProc = (file: string) => readFileSync(`/proc/${service.pid()}/${file}`, 'utf8')
const memoryMb = (field: 'VmRSS' | 'VmHWM') =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(inProc('status'))?.[1]) / 1024

/** Of all threads of the service; the kernel counts hundredths of a second. */
function processorMs(): number {
  const fields = inProc('stat').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** Answers what sends the bodies once they are made; that answers the statuses the senders saw. */
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
  '32 senders of %s hardly delay another tenant, and cost nothing once they hang up',
  async (_, bombs) => {
    const send = await prepare(bombs, 2_500)
    const rounds: string[] = []
    // Other work on the machine can spoil a round; what the attack itself does would show in each of them.
    for (let round = 0; round < 3; round += 1) {
      const quiet = await watch(1_500)
      const quietMb = memoryMb('VmRSS')
      // The highest memory is counted anew from here.
      writeFileSync(`/proc/${service.pid()}/clear_refs`, '5')
      const [seen, statuses] = await Promise.all([watch(2_500), send()])
      const processorBefore = processorMs()
      await pause(1_500)
      const afterwardsMs = processorMs() - processorBefore
      const growthMb = memoryMb('VmHWM') - quietMb
      const keptRows = await rejectedRows()
      rounds.push(JSON.stringify({ quiet, seen, afterwardsMs, quietMb, growthMb, keptRows }))
      // Stored; not answered before the sender hung up; unpacks to too much; has too large a window; is one of too many.
      expect(['', '200', '413', '422', '429']).toEqual(expect.arrayContaining([...new Set(statuses)]))
      expect(keptRows).toBeLessThan(20_000)
      if (isHardlySlower(quiet, seen) && afterwardsMs < 250 && growthMb < 250) return
    }
    expect.fail(rounds.join('\n'))
  },
  120_000,
)
