import { discardAnswer, type Asked } from '../../../bench/test-data/discarding-client.ts'
import { pause, until } from '../attempt.ts'
import type { ChildService } from '../child-service.ts'
import type { Tally } from './tally.ts'

const bytesPerSecond = 20_000
/** A rate so low that the reader receives only the first bytes. */
const nothingPerSecond = 0.001
/**
 * How much later than the limit the service may close a connection. It checks for stalled connections on a timer, and
 * the machine is busy.
 */
const lateSecondsMax = 3

type Reader = { read: () => number; leave: () => void; hasEnded: () => boolean }

function openReader(asked: Asked, rate: number): Reader {
  const { ended, read, leave } = discardAnswer(asked, rate)
  let hasEnded = false
  const note = () => void (hasEnded = true)
  ended.then(note, note)
  return { read, leave, hasEnded: () => hasEnded }
}

async function openReaders(asked: Asked, count: number, rate: number): Promise<Reader[]> {
  const readers = Array.from({ length: count }, () => openReader(asked, rate))
  await until(async () => readers.every((one) => one.read() > 0), 31_000)
  return readers
}

/**
 * Readers that read a large response slowly, but never stop. The service must not close their connections. The readers
 * disconnect before the end of the response.
 */
export async function readSlowly(asked: Asked, count: number, seconds: number, tally: Tally): Promise<void> {
  const readers = await openReaders(asked, count, bytesPerSecond)
  await pause(seconds * 1000)
  for (const { read, hasEnded, leave } of readers) {
    const what = `${read()} bytes in ${seconds} s`
    tally.count(hasEnded() ? 'a slow reader cut' : 'a slow reader served')
    if (hasEnded()) tally.breach('Z8', 'a reader who takes a little is cut off', what)
    if (read() < (bytesPerSecond * seconds) / 2) tally.breach('Z8', 'a reader waits for what it would take', what)
    leave()
  }
}

/** Readers that stop reading. The service must close the connection of each reader after a minute, and not earlier. */
export async function stopReading(asked: Asked, count: number, service: ChildService, tally: Tally): Promise<void> {
  const before = await countStalled(service)
  const startedAt = performance.now()
  const readers = await openReaders(asked, count, nothingPerSecond)
  const begun = (performance.now() - startedAt) / 1000
  const cutAfter: number[] = []
  while (cutAfter.length < count && performance.now() - startedAt < 100_000) {
    const seconds = (performance.now() - startedAt) / 1000
    const cut = (await countStalled(service)) - before
    while (cutAfter.length < cut) cutAfter.push(seconds)
    await pause(200)
  }
  for (const reader of readers) reader.leave()
  const said = `${cutAfter.map((one) => one.toFixed(1)).join(', ')} s; begun within ${begun.toFixed(1)} s`
  console.log(`readers who stopped were cut off after ${said}`)
  for (const seconds of cutAfter) {
    tally.count('a silent reader cut')
    if (seconds < 60) tally.breach('Z8', 'a silent reader is cut off too early', said)
    if (seconds > 61 + begun + lateSecondsMax) tally.breach('Z8', 'a silent reader is borne with for too long', said)
  }
  if (cutAfter.length < count) tally.breach('Z8', 'silent readers are not cut off', said)
}

/**
 * The number of stalled connections that the service has closed, from its metrics. A reader that does not read cannot
 * see that its connection is closed.
 */
async function countStalled({ operationsAddress }: ChildService): Promise<number> {
  const metrics = await (await fetch(`${operationsAddress}/metrics`)).text()
  return Number(/^broadgauge_responses_aborted_total\{[^}]*cause="caller-stalled"[^}]*\} (\d+)$/m.exec(metrics)?.[1])
}
