import type { MetricDefinition } from './define-metric.ts'

/** The unit of a metric as texts for people write it. Programs use the key. */
export const unitSymbol = (unit: MetricDefinition['unit']): string => (unit === 'mbps' ? 'Mbit/s' : unit)
