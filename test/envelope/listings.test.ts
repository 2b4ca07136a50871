import { expect, it } from 'vitest'
import { catalog } from '../../src/catalog/catalog.ts'
import { visibleTo } from '../../src/catalog/visible.ts'
import { filterList, metricList, splitList, testList, valueList } from '../../src/envelope/listings.ts'

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

it('lists a metric with everything a request builder needs', () => {
  expect(metricList(visible.metrics, visible.dimensions)).toEqual([
    {
      key: 'httpget',
      unit: 'mbps',
      name: 'Download speed',
      description: 'Throughput of a download over several TCP connections, after warm-up.',
      test: 'httpget',
      higherIsBetter: true,
      aggregatedOnly: false,
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
      splits: [...standard, 'custom.a b/ü'],
      filters: [...standard, 'custom.a b/ü'],
    },
  ])
})

const standard = ['isp', 'package', 'country', 'agent', 'unit', 'base']

it('lists a split with its kinds of agent, and with null for metrics where it fits all', () => {
  expect(entry(splitList(visible.dimensions), 'isp')).toEqual({
    id: 'isp',
    name: 'ISP',
    type: 'string',
    kinds: ['whitebox', 'cpe', 'mobile', 'web'],
    metrics: null,
  })
})

it('lists the metrics of a split that is not for all of them', () => {
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

it('lists a filter as it lists the split, and where its values are', () => {
  const splits = splitList(visible.dimensions)
  const filters = filterList(visible.dimensions)
  expect(filters).toHaveLength(splits.length)
  expect(entry(filters, 'isp')).toEqual({ ...entry(splits, 'isp'), values: '/filters/isp/values' })
})

it('escapes the id of a custom field in the link to its values', () => {
  expect(entry(filterList(visible.dimensions), 'custom.a b/ü')).toMatchObject({
    values: '/filters/custom.a%20b%2F%C3%BC/values',
  })
})

it('shows a value as what is to be sent', () => {
  expect(valueList(['Acme:Fibre', ''])).toEqual([
    { value: 'Acme:Fibre', label: 'Acme:Fibre' },
    { value: '', label: '' },
  ])
})
