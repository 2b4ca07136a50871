import type { MetricDefinition } from '../catalog/define-metric.ts'
import type { TestDefinition } from '../catalog/define-test.ts'

export const testList = (tests: readonly TestDefinition[]): string[] => tests.map(({ key }) => key)

export type MetricListEntry = {
  key: string
  unit: string
  name: string
  description: string
  test: string
  higherIsBetter: boolean
  aggregatedOnly: boolean
}

/** The specification names `key` and `unit`; the rest is added for people and for request builders. */
export const metricList = (metrics: readonly MetricDefinition[]): MetricListEntry[] =>
  metrics.map(({ key, unit, name, description, test, higherIsBetter, aggregatedOnly }) => ({
    key,
    unit,
    name,
    description,
    test,
    higherIsBetter,
    aggregatedOnly,
  }))
