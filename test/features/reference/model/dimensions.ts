import { clockIds, clockValue, usualPeak } from './clock.ts'
import type { Cell } from './facts.ts'
import { numberTypes, presenceTypes, textTypes } from './filters/filter.ts'
import type { Located } from './local-time.ts'
import { metrics } from './metrics.ts'
import type { Window } from './request.ts'

type Dimension = {
  value: (located: Located, peak: Window) => Cell
  /** The tests whose results have this dimension. Absent if all tests have it. */
  tests?: readonly string[]
}

const ofRow = (column: string, tests: readonly string[]): Dimension => ({
  value: ({ result }) => result.row[column] ?? null,
  tests,
})

const transferTests = ['httpget', 'httppost']
const mobileTests = ['mobile_download', 'mobile_latency', 'mobile_upload', 'mobile_www', 'mobile_youtube']
const targetTests = [
  ...transferTests,
  'netflix',
  'ping',
  'jitter',
  'latency',
  'webget',
  'youtube',
  'traceroute',
].concat(mobileTests)
const mobileColumns = [
  'model',
  'geo_country',
  'manufacturer',
  'connection_type',
  'cellular_technology',
  'carrier_name',
  'operating_system_version',
]

export const dimensions: Readonly<Record<string, Dimension>> = {
  agent: { value: ({ result }) => result.agent.id },
  unit: { value: ({ result: { agent } }) => (agent.unit === null ? null : String(agent.unit)) },
  base: { value: ({ result }) => result.agent.base },
  country: { value: ({ result }) => result.agent.country },
  isp: { value: ({ span }) => span.isp },
  package: { value: ({ span }) => (span.package === null ? null : `${span.isp}:${span.package}`) },
  target: ofRow('target', targetTests),
  target_set: ofRow('target_group', transferTests),
  threads: ofRow('threads', transferTests),
  ip_version: ofRow('ip_version', transferTests),
  ...Object.fromEntries(
    clockIds.map((id): [string, Dimension] => [id, { value: ({ localMs }, peak) => clockValue(id, localMs, peak) }]),
  ),
  ...Object.fromEntries(mobileColumns.map((column) => [column, ofRow(column, mobileTests)])),
}

const customPrefix = 'custom.'

/** The value of a dimension for a result, and for the window that is `peak`. Custom values are text; a number becomes its JSON text. */
export function valueOf(id: string, located: Located, peak = usualPeak): Cell {
  if (id.startsWith(customPrefix)) {
    const value = located.span.custom[id.slice(customPrefix.length)]
    return value === undefined ? null : String(value)
  }
  const dimension = dimensions[id]
  if (dimension === undefined) throw new Error(`no dimension ${id}`)
  return dimension.value(located, peak)
}

/** The dimensions by which a metric can be split and filtered, without custom fields. */
export const dimensionsOf = (metric: string): string[] =>
  Object.entries(dimensions)
    .filter(([, { tests }]) => tests?.includes(metrics[metric]?.test ?? '') ?? true)
    .map(([id]) => id)

/** The dimensions that are numbers, and those of which some values are numbers. */
const isNumeric = (id: string): boolean => ['threads', 'ip_version', 'unit'].includes(id) || id.startsWith(customPrefix)

/** The filter types that a dimension takes. */
export const filterTypesOf = (id: string): string[] => [
  'include',
  'exclude',
  ...textTypes,
  ...(isNumeric(id) ? numberTypes : []),
  ...presenceTypes,
]
