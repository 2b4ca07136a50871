import type { MetricDefinition } from '../catalog/define-metric.ts'
import type { TestDefinition } from '../catalog/define-test.ts'
import { canBeAskedWith, type VisibleDimension } from '../catalog/visible.ts'
import type { Person, Way } from '../base/person.ts'

export const testList = (tests: readonly TestDefinition[]): string[] => tests.map(({ key }) => key)

export type MetricListEntry = {
  key: string
  unit: string
  name: string
  description: string
  test: string
  higherIsBetter: boolean
  aggregatedOnly: boolean
  splits: string[]
  filters: string[]
}

/** The specification names `key` and `unit`; the rest is added for people and for request builders. */
export const metricList = (
  metrics: readonly MetricDefinition[],
  dimensions: readonly VisibleDimension[],
): MetricListEntry[] =>
  metrics.map((metric) => {
    const { key, unit, name, description, test, higherIsBetter, aggregatedOnly } = metric
    const ids = dimensions.filter((dimension) => canBeAskedWith(dimension, metric)).map(({ id }) => id)
    return { key, unit, name, description, test, higherIsBetter, aggregatedOnly, splits: ids, filters: ids }
  })

export type SplitListEntry = {
  id: string
  name: string
  type: 'string' | 'integer'
  kinds: readonly string[]
  metrics: readonly string[] | null
}

export const splitList = (dimensions: readonly VisibleDimension[]): SplitListEntry[] =>
  dimensions.map(({ id, name, source, kinds, metrics }) => ({
    id,
    name,
    type: source.kind === 'column' && source.number ? 'integer' : 'string',
    kinds,
    metrics,
  }))

export type FilterListEntry = SplitListEntry & {
  /** Where to ask for values, below the base address. */
  values: string
}

export const filterList = (dimensions: readonly VisibleDimension[]): FilterListEntry[] =>
  splitList(dimensions).map((entry) => ({ ...entry, values: `/filters/${encodeURIComponent(entry.id)}/values` }))

/** What to send, and what to show. */
export const valueList = (values: readonly string[]): { value: string; label: string }[] =>
  values.map((value) => ({ value, label: value }))

export const personAnswer = (person: Person, { hasPassword, provider }: Way, providerTitle: string | null) => ({
  name: person.userName,
  role: person.role,
  organisation: { key: person.organisationKey, name: person.organisationName },
  has_password: hasPassword,
  provider: provider === null ? null : { key: provider, title: providerTitle ?? provider },
  expires_at: person.sessionExpiresAt.toISOString(),
})
