import type { Result } from './facts.ts'
import { metrics, numberIn } from './metrics.ts'
import type { Rules } from './rules.ts'

type Row = Result['row']

type Condition = (row: Row, rules: Rules) => boolean

export type PrefilterRule = {
  name: string
  version: number
  /** True if the rule excludes the result. */
  matches: Condition
  /** True if the rule reads successes, failures or loss. Such a rule does not apply to a metric that measures them. */
  readsOutcome?: true
}

/** True if the columns meet the test. If one of them is null, the result of the condition is `ifNull`. */
const when =
  (columns: readonly string[], test: (...operands: number[]) => boolean, ifNull = false): Condition =>
  (row, rules) => {
    const operands = columns.map((column) => numberIn(row, column))
    const known = operands.filter((operand) => operand !== null)
    return known.length < operands.length ? ifNull || rules.nullOperandExcludes : test(...known)
  }

const either =
  (...conditions: Condition[]): Condition =>
  (row, rules) =>
    conditions.some((condition) => condition(row, rules))

const rule = (name: string, matches: Condition, version = 1): PrefilterRule => ({ name, version, matches })

const ruleOfOutcome = (name: string, matches: Condition): PrefilterRule => ({
  ...rule(name, matches),
  readsOutcome: true,
})

const transferRules = [
  rule(
    'no-throughput',
    when(['bytes_sec'], (speed) => speed <= 0),
  ),
  rule(
    'above-10-gigabit',
    when(['bytes_sec'], (speed) => speed * 8 > 10e9),
  ),
  rule(
    'no-warm-up',
    when(['warmup_time'], (time) => time <= 0, true),
  ),
]

const pageRules = [
  rule(
    'impossible-fetch-time',
    when(['fetch_time'], (time) => time < 50_000 || time > 30_000_000),
  ),
]

const roundTripRules = [
  rule(
    'below-half-a-millisecond',
    when(['rtt_min'], (least) => least < 500),
  ),
  rule(
    'spread-above-300-milliseconds',
    when(['rtt_max', 'rtt_min'], (most, least) => most - least > 300_000),
  ),
]

const latencyRules = [
  ...roundTripRules,
  ruleOfOutcome(
    'fewer-than-50-packets',
    when(['successes', 'failures'], (answered, lost) => answered + lost < 50),
  ),
  // More than one packet in ten was lost. Computed in integers.
  ruleOfOutcome(
    'loss-above-10-percent',
    when(['successes', 'failures'], (answered, lost) => lost * 10 > answered + lost),
  ),
]

const mobileLatencyRules = [
  ...roundTripRules,
  rule(
    'fewer-than-50-packets',
    when(['packets_sent'], (sent) => sent < 50),
  ),
  ruleOfOutcome(
    'loss-above-10-percent',
    when(['packets_sent', 'packets_received'], (sent, received) => (sent - received) * 10 > sent),
  ),
]

const jitterRule = (column: string): PrefilterRule =>
  rule(
    'clock-step',
    when([column], (jitter) => jitter < 0 || jitter > 10_000_000),
  )

/** True if the test ended with an error that is not a stall: no word of the error code begins with "stall". */
function endedByError(row: Row): boolean {
  const error = String(row['error'] ?? '')
  const words = error.split(/[^A-Za-z]/)
  return error !== '' && !words.some((word) => word.toLowerCase().startsWith('stall'))
}

const videoRules = [
  rule('ended-by-an-error', endedByError, 2),
  rule(
    'prebuffering-above-10-seconds',
    when(['prebuffering_duration'], (time) => time > 10_000_000),
  ),
]

const counters = ['wan_rx_bytes', 'wan_tx_bytes', 'sk_rx_bytes', 'sk_tx_bytes']
const exceeds = (own: number, total: number): boolean => own > total
const usageRules = [
  rule('counter-wrapped', either(...counters.map((counter) => when([counter], (bytes) => bytes < 0 || bytes > 100e9)))),
  rule(
    'more-than-all',
    either(when(['sk_rx_bytes', 'wan_rx_bytes'], exceeds), when(['sk_tx_bytes', 'wan_tx_bytes'], exceeds)),
  ),
]

const rulesOfTest: Readonly<Record<string, readonly PrefilterRule[]>> = {
  httpget: transferRules,
  httppost: transferRules,
  mobile_download: transferRules,
  mobile_upload: transferRules,
  webget: pageRules,
  mobile_www: pageRules,
  latency: latencyRules,
  mobile_latency: mobileLatencyRules,
  ping: [
    rule(
      'no-round-trip',
      when(['rtt_avg'], (time) => time <= 0),
    ),
  ],
  netflix: videoRules,
  youtube: videoRules,
  mobile_youtube: videoRules,
  network_usage: usageRules,
}

/** Rules that apply to one metric only, not to all metrics of its test. */
const rulesOfMetric: Readonly<Record<string, readonly PrefilterRule[]>> = {
  jitterUp: [jitterRule('jitter_up')],
  jitterDown: [jitterRule('jitter_down')],
  mobileJitter: [jitterRule('jitter')],
  dnsResponse: [
    rule(
      'impossible-response-time',
      when(['rtt'], (time) => time <= 0 || time > 10_000_000),
    ),
  ],
}

/** The prefilter rules of a metric, in the order of the metrics reference. */
export function prefilterOf(metricKey: string, rules: Rules): PrefilterRule[] {
  const metric = metrics[metricKey]
  if (metric === undefined) throw new Error(`no metric ${metricKey}`)
  return [...(rulesOfTest[metric.test] ?? []), ...(rulesOfMetric[metricKey] ?? [])].filter(
    ({ readsOutcome }) => !('ratio' in metric) || readsOutcome !== true || rules.lossRulesForLoss,
  )
}

/** The names of the rules that match the result. If there is any, the prefilter excludes the result. */
export const matchedRules = (prefilter: readonly PrefilterRule[], row: Row, rules: Rules): string[] =>
  prefilter.filter(({ matches }) => matches(row, rules)).map(({ name }) => name)
