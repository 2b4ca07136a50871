import { expect, it } from 'vitest'
import { catalog } from '../../src/catalog/catalog.ts'
import { presets } from '../../src/catalog/presets/index.ts'
import { visibleTo } from '../../src/catalog/visible.ts'
import { filterList, metricList, presetList, splitList, testList, valueList } from '../../src/envelope/listings.ts'

const visible = visibleTo(
  {
    panels: [],
    kinds: ['whitebox'],
    tests: ['dns', 'httpget'],
    metrics: ['httpget', 'dnsFail'],
    customFields: [{ panel: 7, key: 'a b/ü', field: 1 }],
    erased: [],
  },
  catalog,
)
const entry = <Entry extends { id: string }>(list: readonly Entry[], id: string): Entry | undefined =>
  list.find((one) => one.id === id)

it('lists tests by their keys, in the order of the catalogue', () => {
  expect(testList(visible.tests)).toEqual(['httpget', 'dns'])
})

it('lists presets with their metrics, out of those of the caller', () => {
  const list = presetList(presets, visible.metrics)
  expect(list.map(({ key, metrics }) => [key, metrics])).toEqual(
    presets.map(({ key }) => [key, key === 'fcc.loss-bands' ? [] : ['httpget']]),
  )
  expect(list.find(({ key }) => key === 'caf.80-80')).toMatchObject({
    needs: [],
    fields: { histogram: { edges: [80] }, relativeTo: 'plan', window: { hours: [18, 19, 20, 21, 22, 23] } },
  })
})

it('lists a metric with everything a request builder needs', () => {
  expect(metricList(visible.metrics, visible.dimensions)).toEqual([
    {
      key: 'httpget',
      unit: 'mbps',
      name: 'Download speed',
      description:
        'Throughput of a download, after warm-up. Pools tests with one and with several TCP connections, over IPv4 and IPv6, to all test servers.',
      test: 'httpget',
      higherIsBetter: true,
      aggregatedOnly: false,
      pools: ['target', 'target_set', 'threads', 'ip_version'],
      splits: [...standard, 'target', 'target_set', 'threads', 'ip_version', 'custom.a b/ü'],
      filters: [...standard, 'target', 'target_set', 'threads', 'ip_version', 'custom.a b/ü'],
    },
    {
      key: 'dnsFail',
      unit: '%',
      name: 'DNS failures',
      description: expect.stringMatching(/./),
      test: 'dns',
      higherIsBetter: false,
      aggregatedOnly: true,
      pools: [],
      splits: [...standard, 'custom.a b/ü'],
      filters: [...standard, 'custom.a b/ü'],
    },
  ])
})

const everything = visibleTo(
  { panels: [], kinds: ['whitebox', 'mobile'], tests: 'all', metrics: 'all', customFields: [], erased: [] },
  catalog,
)
const listed = (key: string) =>
  metricList(everything.metrics, everything.dimensions).find((metric) => metric.key === key)

it('lists as pooled what varies between the results of a metric, but not what the metric fixes', () => {
  expect(listed('httpget_single')?.pools).toEqual(['target', 'target_set', 'ip_version'])
  expect(listed('httpget_multi')?.pools).toEqual(['target', 'target_set', 'threads', 'ip_version'])
  expect(listed('mobileLatency')?.pools).toContain('connection_type')
  expect(listed('wanDown')?.pools).toEqual([])
})

it('says of data usage that neither more nor less is better', () => {
  const neither = everything.metrics.filter(({ higherIsBetter }) => higherIsBetter === null)
  expect(neither.map(({ key }) => key)).toEqual(['wanDown', 'wanUp'])
  expect(listed('wanUp')?.higherIsBetter).toBeNull()
  expect(listed('latency')?.higherIsBetter).toBe(false)
})

/** How a description names a dimension. Dimensions that are not listed need no mention. */
const mentions: Readonly<Record<string, RegExp>> = {
  target: /server|host|page|video/,
  threads: /TCP connections/,
  ip_version: /IPv4 and IPv6/,
  carrier_name: /mobile operators/,
  connection_type: /connection types/,
  cellular_technology: /cellular technologies/,
  geo_country: /countries/,
}

it.each(everything.metrics.map(({ key }) => key))('describes what %s pools', (key) => {
  const { pools = [], description = '' } = listed(key) ?? {}
  const [, pooled = ''] = description.split(' Pools ')
  expect(pools.filter((id) => mentions[id]?.test(pooled) === false)).toEqual([])
})

const standard = ['isp', 'package', 'country', 'agent', 'unit', 'base', 'hour_of_day', 'day_of_week', 'peak']

it('lists a split with its kinds of agent, and with null for metrics if it applies to all', () => {
  expect(entry(splitList(visible.dimensions), 'isp')).toEqual({
    id: 'isp',
    name: 'ISP',
    type: 'string',
    kinds: ['whitebox', 'cpe', 'mobile', 'web'],
    metrics: null,
  })
})

it('lists the metrics of a split that does not apply to all of them', () => {
  expect(entry(splitList(visible.dimensions), 'threads')).toEqual({
    id: 'threads',
    name: 'TCP connections',
    type: 'integer',
    kinds: ['whitebox', 'cpe', 'web'],
    metrics: ['httpget'],
  })
})

it.each([
  ['threads', 'integer'],
  ['ip_version', 'integer'],
  ['target', 'string'],
  ['unit', 'string'],
  ['package', 'string'],
  ['custom.a b/ü', 'string'],
])('gives values of %s as %s', (id, type) => {
  expect(entry(splitList(visible.dimensions), id)).toMatchObject({ type })
})

it('lists a filter like its split, with the path to its values and its types', () => {
  const splits = splitList(visible.dimensions)
  const filters = filterList(visible.dimensions)
  expect(filters).toHaveLength(splits.length)
  const texts = ['include', 'exclude', 'contains', 'starts_with', 'ends_with', 'matches']
  const presence = ['is_set', 'is_missing']
  const values = '/filters/isp/values'
  expect(entry(filters, 'isp')).toEqual({ ...entry(splits, 'isp'), values, filterTypes: [...texts, ...presence] })
  const numbers = ['at_least', 'above', 'at_most', 'below']
  expect(filters.filter(({ filterTypes }) => filterTypes.includes('above')).map(({ id }) => id)).toEqual(
    filters
      .map(({ id }) => id)
      .filter((id) => ['unit', 'threads', 'ip_version'].includes(id) || id.startsWith('custom.')),
  )
  expect(entry(filters, 'unit')).toMatchObject({ filterTypes: [...texts, ...numbers, ...presence] })
})

it('escapes the id of a custom field in the link to its values', () => {
  expect(entry(filterList(visible.dimensions), 'custom.a b/ü')).toMatchObject({
    values: '/filters/custom.a%20b%2F%C3%BC/values',
  })
})

it('shows a value in the form that a caller sends', () => {
  expect(valueList(['Acme:Fibre', ''])).toEqual([
    { value: 'Acme:Fibre', label: 'Acme:Fibre' },
    { value: '', label: '' },
  ])
})
