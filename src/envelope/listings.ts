import type { PresetDefinition } from '../catalog/define-preset.ts'
import { metricsOf } from '../check/metric/preset.ts'
import type { MetricDefinition } from '../catalog/define-metric.ts'
import type { TestDefinition } from '../catalog/define-test.ts'
import { filterTypesOf, type FilterType } from '../catalog/filter-types.ts'
import { isShownAsNumber } from '../catalog/dimensions.ts'
import { isAllowedWith, pooledBy, type VisibleDimension } from '../catalog/visible.ts'
import type { Person, Way } from '../base/person.ts'

export const testList = (tests: readonly TestDefinition[]): string[] => tests.map(({ key }) => key)

export type MetricListEntry = {
  key: string
  unit: string
  name: string
  description: string
  test: string
  higherIsBetter: boolean | null
  aggregatedOnly: boolean
  pools: string[]
  splits: string[]
  filters: string[]
}

/** The specification requires only `key` and `unit`. The other fields are for users, and for programs that build requests. */
export const metricList = (
  metrics: readonly MetricDefinition[],
  dimensions: readonly VisibleDimension[],
): MetricListEntry[] =>
  metrics.map((metric) => {
    const { key, unit, name, description, test, higherIsBetter, aggregatedOnly } = metric
    const ids = dimensions.filter((dimension) => isAllowedWith(dimension, metric)).map(({ id }) => id)
    const pools = pooledBy(metric, dimensions)
    return { key, unit, name, description, test, higherIsBetter, aggregatedOnly, pools, splits: ids, filters: ids }
  })

export type PresetListEntry = Pick<
  PresetDefinition,
  'key' | 'name' | 'description' | 'source' | 'read' | 'needs' | 'fields'
> & {
  /** Keys of the metrics that the preset is for, out of those that the caller may use. */
  metrics: string[]
}

export const presetList = (
  presets: readonly PresetDefinition[],
  metrics: readonly MetricDefinition[],
): PresetListEntry[] =>
  presets.map((preset) => {
    const { key, name, description, source, read, needs, fields } = preset
    return {
      key,
      name,
      description,
      source,
      read,
      metrics: metricsOf(preset, metrics).map((one) => one.key),
      needs,
      fields,
    }
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
    type: isShownAsNumber(source) ? 'integer' : 'string',
    kinds,
    metrics,
  }))

export type FilterListEntry = SplitListEntry & {
  /** The choices of `filterType` for the dimension. */
  filterTypes: readonly FilterType[]
  /** Path of the list of the filter's values, relative to the base URL of the API. */
  values: string
}

export const filterList = (dimensions: readonly VisibleDimension[]): FilterListEntry[] =>
  dimensions.flatMap((dimension) =>
    splitList([dimension]).map((entry) => ({
      ...entry,
      values: `/filters/${encodeURIComponent(entry.id)}/values`,
      filterTypes: filterTypesOf(dimension.source),
    })),
  )

/** A client sends `value` in a request and shows `label` to its user. */
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
