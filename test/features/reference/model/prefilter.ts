import type { Result } from './facts.ts'
import { metrics, numberIn } from './metrics.ts'
import type { Rules } from './rules.ts'

type Row = Result['row']

type Rule = {
  /** The operands; when one of them is null the rule excludes nothing, unless it says so itself. */
  of: readonly string[]
  excludes: (...operands: number[]) => boolean
  nullExcludes?: true
  /** Reads success, failure or loss: of no use to a metric that measures just that. */
  readsOutcome?: true
}

const transferRules: Rule[] = [
  { of: ['bytes_sec'], excludes: (speed) => speed <= 0 },
  // 10 Gbit/s.
  { of: ['bytes_sec'], excludes: (speed) => speed * 8 > 10e9 },
  { of: ['warmup_time'], excludes: (time) => time <= 0, nullExcludes: true },
]

const pageRules: Rule[] = [{ of: ['fetch_time'], excludes: (time) => time < 50_000 || time > 30_000_000 }]

const roundTripRules: Rule[] = [
  { of: ['rtt_min'], excludes: (least) => least < 500 },
  { of: ['rtt_max', 'rtt_min'], excludes: (most, least) => most - least > 300_000 },
]

const latencyRules: Rule[] = [
  ...roundTripRules,
  { of: ['successes', 'failures'], excludes: (answered, lost) => answered + lost < 50, readsOutcome: true },
  // More than one in ten, in whole numbers.
  {
    of: ['successes', 'failures'],
    excludes: (answered, lost) => lost * 10 > answered + lost,
    readsOutcome: true,
  },
]

const mobileLatencyRules: Rule[] = [
  ...roundTripRules,
  { of: ['packets_sent'], excludes: (sent) => sent < 50 },
  {
    of: ['packets_sent', 'packets_received'],
    excludes: (sent, received) => (sent - received) * 10 > sent,
    readsOutcome: true,
  },
]

const jitterRule = (column: string): Rule => ({ of: [column], excludes: (jitter) => jitter < 0 || jitter > 10_000_000 })

const videoRules: Rule[] = [{ of: ['prebuffering_duration'], excludes: (time) => time > 10_000_000 }]

const counters = ['wan_rx_bytes', 'wan_tx_bytes', 'sk_rx_bytes', 'sk_tx_bytes']
const usageRules: Rule[] = [
  ...counters.map((counter): Rule => ({ of: [counter], excludes: (bytes) => bytes < 0 || bytes > 100e9 })),
  { of: ['sk_rx_bytes', 'wan_rx_bytes'], excludes: (own, total) => own > total },
  { of: ['sk_tx_bytes', 'wan_tx_bytes'], excludes: (own, total) => own > total },
]

const rulesOfTest: Readonly<Record<string, readonly Rule[]>> = {
  httpget: transferRules,
  httppost: transferRules,
  mobile_download: transferRules,
  mobile_upload: transferRules,
  webget: pageRules,
  mobile_www: pageRules,
  latency: latencyRules,
  mobile_latency: mobileLatencyRules,
  ping: [{ of: ['rtt_avg'], excludes: (time) => time <= 0 }],
  netflix: videoRules,
  youtube: videoRules,
  mobile_youtube: videoRules,
  network_usage: usageRules,
}

/** Rules that belong to a metric rather than to all of its test's. */
const rulesOfMetric: Readonly<Record<string, readonly Rule[]>> = {
  jitterUp: [jitterRule('jitter_up')],
  jitterDown: [jitterRule('jitter_down')],
  mobileJitter: [jitterRule('jitter')],
  dnsResponse: [{ of: ['rtt'], excludes: (time) => time <= 0 || time > 10_000_000 }],
}

const videoTests = ['netflix', 'youtube', 'mobile_youtube']

/** An error other than a stall: a code none of whose words begins with that. */
function endedByError(row: Row): boolean {
  const error = String(row['error'] ?? '')
  const words = error.split(/[^A-Za-z]/)
  return error !== '' && !words.some((word) => word.toLowerCase().startsWith('stall'))
}

/** Whether the prefilter leaves a result of the metric's test out. */
export function isExcluded(metricKey: string, row: Row, rules: Rules): boolean {
  const metric = metrics[metricKey]
  if (metric === undefined) throw new Error(`no metric ${metricKey}`)
  const applicable = [...(rulesOfTest[metric.test] ?? []), ...(rulesOfMetric[metricKey] ?? [])].filter(
    ({ readsOutcome }) => !('ratio' in metric) || readsOutcome !== true || rules.lossRulesForLoss,
  )
  if (videoTests.includes(metric.test) && endedByError(row)) return true
  return applicable.some(({ of, excludes, nullExcludes = false }) => {
    const operands = of.map((column) => numberIn(row, column))
    const known = operands.filter((operand) => operand !== null)
    return known.length < operands.length ? nullExcludes || rules.nullOperandExcludes : excludes(...known)
  })
}
