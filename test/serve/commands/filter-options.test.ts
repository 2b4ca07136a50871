import { expect, it } from 'vitest'
import { parseFilters } from '../../../src/serve/commands/data/filter-options.ts'

it.each<[string, object]>([
  ['isp=Acme', { id: 'isp', filterType: 'include', filterValues: ['Acme'] }],
  ['base!==SUM(1)', { id: 'base', filterType: 'exclude', filterValues: ['=SUM(1)'] }],
  ['isp~^Ac', { id: 'isp', filterType: 'matches', filterValues: ['^Ac'] }],
  ['isp~a=b', { id: 'isp', filterType: 'matches', filterValues: ['a=b'] }],
  ['isp!~x$', { not: { id: 'isp', filterType: 'matches', filterValues: ['x$'] } }],
  ['target^=lon-', { id: 'target', filterType: 'starts_with', filterValues: ['lon-'] }],
  ['target$=.net', { id: 'target', filterType: 'ends_with', filterValues: ['.net'] }],
  ['target*=', { id: 'target', filterType: 'contains', filterValues: [''] }],
  ['threads>=4', { id: 'threads', filterType: 'at_least', filterValues: ['4'] }],
  ['threads>4', { id: 'threads', filterType: 'above', filterValues: ['4'] }],
  ['custom.floor<=-2.5', { id: 'custom.floor', filterType: 'at_most', filterValues: ['-2.5'] }],
  ['unit<10', { id: 'unit', filterType: 'below', filterValues: ['10'] }],
  ['unit?', { id: 'unit', filterType: 'is_set' }],
  ['custom.region!?', { id: 'custom.region', filterType: 'is_missing' }],
  ['custom.a>b=c', { id: 'custom.a>b', filterType: 'include', filterValues: ['c'] }],
  ['custom.why?!=c', { id: 'custom.why?', filterType: 'exclude', filterValues: ['c'] }],
])('reads %s', (option, filter) => {
  expect(parseFilters([option])).toEqual([filter])
})

it('takes values of the same id and operator as alternatives, and numbers as separate filters', () => {
  expect(parseFilters(['isp=A', 'unit>=1', 'isp=B', 'isp!~x', 'isp!~y', 'unit<9'])).toEqual([
    { id: 'isp', filterType: 'include', filterValues: ['A', 'B'] },
    { not: { id: 'isp', filterType: 'matches', filterValues: ['x', 'y'] } },
    { id: 'unit', filterType: 'at_least', filterValues: ['1'] },
    { id: 'unit', filterType: 'below', filterValues: ['9'] },
  ])
})

it('adds a list of filters as JSON', () => {
  const group = { any: [{ id: 'isp', filterType: 'is_set' }] }
  expect(parseFilters(['unit?'], JSON.stringify([group]))).toEqual([{ id: 'unit', filterType: 'is_set' }, group])
})

it.each(['isp', '=Acme', 'threads>x', '?', 'isp^'])('refuses %j', (option) => {
  expect(() => parseFilters([option])).toThrow('--filter takes id=value')
})

it.each(['{}', 'nope', '[', '"x"'])('refuses %j as a list of filters', (json) => {
  expect(() => parseFilters([], json)).toThrow('--filters takes a JSON list')
})
