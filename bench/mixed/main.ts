/**
 * Sixty-four concurrent callers of sixteen organisations send requests, with default limits and with the audit trail: `npm run
 * bench -- mixed --seconds 60`. The bench compares the service with bare ClickHouse. The same number of callers sends the same
 * statements to ClickHouse, in the same order. The service and ClickHouse alternate.
 */
import { openLoadBench } from '../rig/load-bench.ts'
import { closedLoop, openSender, quantile, seconds, type Called } from '../rig/load.ts'
import { questions } from '../rig/questions.ts'
import { report } from '../rig/report.ts'

const callers = 64
const organisations = 16
const rounds = 2
const duration = seconds(20)
const bench = await openLoadBench({
  name: 'bench-mixed',
  port: 18_480,
  rows: Number(process.argv[2] ?? 500_000),
  organisations,
})
const { send, close } = openSender(bench.baseUrl)
const asked = questions(bench.lastDay)
/** Typical queries of users who look at charts: most are small, some are large. */
const mix = [
  ...Array.from({ length: 6 }, () => asked['one agent, one day']),
  ...Array.from({ length: 3 }, () => asked['a day, hourly']),
  asked['a week, daily by ISP'],
]
const statements = await Promise.all(mix.map((body) => bench.compile(body)))

/** Caller n starts at position n of `mix`. So the callers do not all send the same query at the same time. */
const turns = Array.from({ length: callers }, (_, caller) => caller)
const nextTurn = (caller: number): number => (turns[caller] = (turns[caller] ?? 0) + 1) % mix.length

const ours = (caller: number): Promise<Called> =>
  send({
    method: 'POST',
    path: '/metric_data',
    token: bench.tokens[caller % organisations] ?? '',
    body: mix[nextTurn(caller)],
  })

async function bare(caller: number): Promise<Called> {
  const query = statements[nextTurn(caller)]
  if (query === undefined) throw new Error('there is no such statement')
  const startedAt = performance.now()
  const status = await bench.bare(query).then(
    () => 200,
    () => 0,
  )
  const endedAt = performance.now()
  return { status, milliseconds: endedAt - startedAt, endedAt }
}

const row = (who: string, called: readonly Called[], taken: number) => ({
  who,
  answers: called.length,
  'a second': (called.length / taken).toFixed(1),
  errors: JSON.stringify(
    Object.groupBy(
      called.filter(({ status }) => status !== 200),
      ({ status }) => status,
    ),
    (key, value: unknown) => (key !== '' && Array.isArray(value) ? value.length : value),
  ),
  'p50, ms': quantile(called, 0.5).toFixed(0),
  'p99, ms': quantile(called, 0.99).toFixed(0),
})

try {
  const taken = { ours: [] as Called[], bare: [] as Called[], oursSeconds: 0, bareSeconds: 0 }
  await closedLoop(callers, 2, bare)
  await closedLoop(callers, 2, ours)
  for (let round = 0; round < rounds; round += 1) {
    const one = await closedLoop(callers, duration / rounds / 2, bare)
    const other = await closedLoop(callers, duration / rounds / 2, ours)
    taken.bare.push(...one.called)
    taken.ours.push(...other.called)
    taken.bareSeconds += one.seconds
    taken.oursSeconds += other.seconds
  }
  const ratio = (share: number) => (quantile(taken.ours, share) / quantile(taken.bare, share)).toFixed(2)
  report('mixed', [
    row('bare engine', taken.bare, taken.bareSeconds),
    { ...row('the service', taken.ours, taken.oursSeconds), 'p50 ratio': ratio(0.5), 'p99 ratio': ratio(0.99) },
  ])
} finally {
  close()
  await bench.close()
}
