/**
 * One organisation sends heavy queries on a hundred connections. Another organisation sends five light queries per second. Run
 * it with `npm run bench -- fairness --seconds 60`. The bench measures the p99 of the second organisation with and without the
 * heavy queries, alternating in one run, with default limits.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { openLoadBench } from '../rig/load-bench.ts'
import { openLoop, openSender, quantile, seconds, type Called, type Question } from '../rig/load.ts'
import { questions } from '../rig/questions.ts'
import { report } from '../rig/report.ts'

const connections = 100
const perSecond = 5
const rounds = 2
const duration = seconds(20)
const bench = await openLoadBench({
  name: 'bench-fairness',
  port: 18_380,
  rows: Number(process.argv[2] ?? 2_000_000),
  organisations: 2,
})
const { send, close } = openSender(bench.baseUrl)
const asked = questions(bench.lastDay)
const question = (body: unknown, token = ''): Question => ({ method: 'POST', path: '/metric_data', token, body })
const light = question(asked['one agent, one day'], bench.tokens[1])
const heavy = question(asked['a month, daily by ISP'], bench.tokens[0])

async function measure(): Promise<Called[]> {
  const { called } = await openLoop(perSecond, duration / rounds, () => send(light))
  return called()
}

async function measureFlooded(): Promise<{ called: Called[]; counts: unknown }> {
  const words = [bench.baseUrl, String(connections), JSON.stringify(heavy)]
  const flood = fork(new URL('../rig/flood.ts', import.meta.url), words)
  await pause(3_000)
  const called = await measure()
  flood.send('counts')
  const [counts] = await once(flood, 'message')
  flood.kill()
  await once(flood, 'exit')
  // Wait until the flood's running queries have ended.
  await pause(3_000)
  return { called, counts }
}

const row = (when: string, called: readonly Called[], more: object) => ({
  when,
  requests: called.length,
  'not answered': called.filter(({ status }) => status !== 200).length,
  'p50, ms': quantile(called, 0.5).toFixed(1),
  'p99, ms': quantile(called, 0.99).toFixed(1),
  ...more,
})

try {
  await openLoop(perSecond, 3, () => send(light)).then(({ called }) => called())
  const quiet: Called[] = []
  const flooded: Called[] = []
  const counts: unknown[] = []
  for (let round = 0; round < rounds; round += 1) {
    quiet.push(...(await measure()))
    const measured = await measureFlooded()
    flooded.push(...measured.called)
    counts.push(measured.counts)
  }
  const ratio = (share: number) => (quantile(flooded, share) / quantile(quiet, share)).toFixed(2)
  report('fairness', [
    row('quiet', quiet, {}),
    row('flooded', flooded, {
      'p50 ratio': ratio(0.5),
      'p99 ratio': ratio(0.99),
      'the flood, by status': JSON.stringify(counts),
    }),
  ])
} finally {
  close()
  await bench.close()
}
