import type { MetricDefinition } from '../define-metric.ts'
import httpget from './httpget.ts'

export const metrics: readonly MetricDefinition[] = [httpget]
