/**
 * Sends requests at twice the capacity of the service: `npm run bench -- overload --seconds 180`.
 * - First it measures the capacity, with as many callers as the service runs queries.
 * - Then requests arrive at twice that rate, from sixteen organisations, with default limits and with the audit trail.
 * - Afterwards it measures the capacity again. It compares the goodput with the mean of both capacities, because other load on
 *   a machine changes within minutes by more than the required ratio allows.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { openLoadBench } from '../rig/load-bench.ts'
import { closedLoop, openLoop, openSender, quantile, seconds, type Called } from '../rig/load.ts'
import { memoryNow, memoryPeak, processorSeconds, processorSecondsOfAll } from '../rig/processor-seconds.ts'
import { questions } from '../rig/questions.ts'
import { report } from '../rig/report.ts'

const organisations = 16
const callers = 16
const duration = seconds(20)
const bench = await openLoadBench({
  name: 'bench-overload',
  port: 18_280,
  rows: Number(process.argv[2] ?? 500_000),
  organisations,
})
const { send, close } = openSender(bench.baseUrl)
const isServed = ({ status }: Called) => status === 200
const isRefused = ({ status }: Called) => status === 429 || status === 503

async function overload(name: string, body: unknown): Promise<object> {
  const ask = (index: number) =>
    send({ method: 'POST', path: '/metric_data', token: bench.tokens[index % organisations] ?? '', body })
  await closedLoop(callers, 2, ask)
  const quiet = quantile((await closedLoop(1, 2, ask)).called, 0.5)
  const ableProcessors = await meterProcessors()
  const before = await capacityOf(ask)
  const processorsAble = await ableProcessors()
  const memoryBefore = await memoryNow(bench.servicePid)
  const floodProcessors = await meterProcessors()
  const flood = await openLoop(2 * before, duration, ask)
  const processorsFlooded = await floodProcessors()
  const recoverySeconds = await untilQuiet(ask, 2 * quiet + 20)
  const called = await flood.called()
  const served = called.filter(isServed)
  const refused = called.filter(isRefused)
  // Include the time until the last request was answered: in a short run, the queue at the end is a large part of the run.
  const tailMs = Math.max(0, ...served.map(({ endedAt }) => endedAt - flood.endedAt))
  const goodput = served.length / (flood.seconds + tailMs / 1000)
  const afterwards = await capacityOf(ask)
  return {
    queries: name,
    'capacity before and after, /s': `${before.toFixed(1)} ${afterwards.toFixed(1)}`,
    'goodput, /s': goodput.toFixed(1),
    ratio: ((2 * goodput) / (before + afterwards)).toFixed(2),
    'processors: engine, service, callers, others': `${processorsAble} → ${processorsFlooded}`,
    'served, p50 ms': quantile(served, 0.5).toFixed(0),
    'served, p99 ms': quantile(served, 0.99).toFixed(0),
    refused: refused.length,
    'refused, p50 ms': quantile(refused, 0.5).toFixed(1),
    'refused, p99 ms': quantile(refused, 0.99).toFixed(0),
    failed: called.length - served.length - refused.length,
    'recovery, s': recoverySeconds.toFixed(1),
    'memory, MB': `${memoryBefore.toFixed(0)} → ${(await memoryPeak(bench.servicePid)).toFixed(0)}`,
  }
}

/** Returns the number of responses per second, with as many callers as the service runs queries. */
async function capacityOf(ask: (index: number) => Promise<Called>): Promise<number> {
  const able = await closedLoop(callers, Math.max(5, duration / 4), ask)
  return able.called.filter(isServed).length / able.seconds
}

/**
 * Measures the average number of CPU cores that each process uses. The last number is for all other processes, mainly
 * PostgreSQL and object storage.
 */
async function meterProcessors(): Promise<() => Promise<string>> {
  const read = async () => {
    const [engine, service] = await Promise.all([bench.enginePid, bench.servicePid].map(processorSeconds))
    const { all, own } = await processorSecondsOfAll()
    return [engine ?? 0, service ?? 0, own, all - (engine ?? 0) - (service ?? 0) - own]
  }
  const startedAt = performance.now()
  const before = await read()
  return async () => {
    const after = await read()
    const passed = (performance.now() - startedAt) / 1000
    return after.map((one, index) => ((one - (before[index] ?? 0)) / passed).toFixed(2)).join(' ')
  }
}

/** Waits until a single query is answered as fast as before the flood. Returns the seconds that this took. */
async function untilQuiet(ask: (index: number) => Promise<Called>, milliseconds: number): Promise<number> {
  const startedAt = performance.now()
  for (let index = 0; ; index += 1) {
    const called = await ask(index)
    const now = performance.now()
    if (isServed(called) && called.milliseconds <= milliseconds) return (now - startedAt) / 1000
    if (now - startedAt > 60_000) return Number.NaN
    await pause(50)
  }
}

try {
  const rows: object[] = []
  const { 'one agent, one day': light, 'a week, daily by ISP': heavier } = questions(bench.lastDay)
  rows.push(await overload('one agent, one day', light))
  rows.push(await overload('a week, daily by ISP', heavier))
  report('overload', rows)
} finally {
  close()
  await bench.close()
}
