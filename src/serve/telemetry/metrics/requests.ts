import { Counter, Histogram, type Registry } from 'prom-client'
import type { Observation, Observe } from '../../../base/observe.ts'

type Finished = Extract<Observation, { kind: 'request-finished' }>

/**
 * Counters that are exposed as 0 from the start. If a counter first appeared with the value 1, Prometheus would see no
 * increase, and no alert would fire.
 */
const cutsAtStart: Record<NonNullable<Finished['cut']>, 0> = {
  'caller-left': 0,
  'caller-stalled': 0,
  'engine-failed': 0,
  'service-stopped': 0,
}

export function requestMetrics(registry: Registry): Observe {
  const registers = [registry]
  const seconds = new Histogram({
    name: 'broadgauge_request_duration_seconds',
    help: 'Time from the request to the last byte of the response.',
    labelNames: ['interface', 'method', 'route', 'status'],
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30],
    registers,
  })
  const cut = new Counter({
    name: 'broadgauge_responses_aborted_total',
    help: 'Streamed responses that ended early, by reason.',
    labelNames: ['cause'],
    registers,
  })
  for (const [cause, count] of Object.entries(cutsAtStart)) cut.inc({ cause }, count)
  // Caches the series by their labels. Without this cache, the metrics library sorts and joins the labels for every request.
  const series = new Map<string, Histogram.Internal<string>>()
  const seriesOf = ({ interface: name, method, route, status }: Finished) => {
    const key = `${name} ${method} ${status} ${route}`
    const present = series.get(key) ?? seconds.labels({ interface: name, method, route, status })
    series.set(key, present)
    return present
  }
  return (observation) => {
    if (observation.kind !== 'request-finished') return
    seriesOf(observation).observe(observation.milliseconds / 1000)
    if (observation.cut !== undefined) cut.inc({ cause: observation.cut })
  }
}
