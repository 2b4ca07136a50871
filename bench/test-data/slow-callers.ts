import type { Bench } from './bench.ts'
import { discardAnswer } from './discarding-client.ts'
import type { Measurement } from './throughput.ts'

const callers = 20
const bytesPerSecond = 10_000
const seconds = 20

/** Measures many callers that read 10 KB per second, and at the same time one fast caller. */
export async function measureSlowCallers(bench: Bench): Promise<Measurement[]> {
  const alone = await fastRate(bench)
  const before = await bench.memory()
  const slow = Array.from({ length: callers }, () => discardAnswer(bench.ours, bytesPerSecond))
  while (slow.some((one) => one.read() === 0)) await pause(100)
  const begun = slow.map((one) => one.read())
  await pause(seconds * 1000)
  const held = ((await bench.memory()) - before) / callers
  const rates = slow.map((one, index) => (one.read() - (begun[index] ?? 0)) / seconds)
  const beside = await fastRate(bench)
  for (const one of slow) one.leave()
  return [
    { what: `slow callers`, measured: `${callers} at ${(Math.max(...rates) / 1000).toFixed(1)} KB/s` },
    { what: 'memory each holds in the service', measured: `${held.toFixed(2)} MB` },
    { what: 'a fast one alone, and next to them', measured: `${alone.toFixed(0)} and ${beside.toFixed(0)} MB/s` },
  ]
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Measures the rate of a fast caller. A response of 200 MB is enough. */
async function fastRate(bench: Bench): Promise<number> {
  const startedAt = performance.now()
  const fast = discardAnswer(bench.ours)
  const ending = fast.ended.then(() => true)
  while (fast.read() < 2e8 && (await Promise.race([ending, pause(5)])) !== true);
  fast.leave()
  return fast.read() / (performance.now() - startedAt) / 1000
}
