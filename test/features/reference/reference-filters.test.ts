import { expect, it } from 'vitest'
import type { Filter } from './model/filters/filter.ts'
import type { Agent } from './model/facts.ts'
import { rightRules, type Rules } from './model/rules.ts'
import { agentOf, ask, smallDataset } from './small-dataset.ts'

const agents: Agent[] = [
  agentOf('one', { unit: 7 }, { isp: 'Ant', package: 'Fast', custom: { tier: 'gold', line: 2.5 } }),
  agentOf('two', { unit: 10 }, { isp: 'Änt', custom: { tier: '', line: '100' } }),
  agentOf('three', { unit: null }, { isp: 'Bee\nNet', custom: { line: '1e3' } }),
  agentOf('four', { unit: null }),
]
const results = agents.map((agent) => ({ agent, at: '2020-06-01 00:00:00', jitter_down: 1 }))
const dataset = smallDataset('jitter', results)

const kept = (filters: Filter[], rules: Rules = rightRules): string[] =>
  ask(dataset, { splits: ['agent'], filters }, 'acme', rules)
    .flatMap(({ metricData }) => metricData.map(({ agent }) => String(agent)))
    .toSorted()

const by = (id: string, filterType: string, ...filterValues: (string | number)[]): string[] =>
  kept([{ id, filterType, ...(filterValues.length > 0 ? { filterValues } : {}) }])

const ant: Filter = { id: 'isp', filterType: 'include', filterValues: ['Ant'] }
const silver: Filter = { id: 'custom.tier', filterType: 'include', filterValues: ['silver'] }

it('combines filters in groups', () => {
  const seven: Filter = { id: 'unit', filterType: 'include', filterValues: [7] }
  const ten: Filter = { id: 'unit', filterType: 'include', filterValues: ['10'] }
  expect(kept([{ any: [seven, ten] }])).toEqual(['one', 'two'])
  expect(kept([{ all: [seven, ant] }])).toEqual(['one'])
  expect(kept([{ all: [seven, ten] }])).toEqual([])
  expect(kept([{ any: [{ all: [seven, { not: ant }] }, { not: { any: [ant, ten] } }] }])).toEqual(['four', 'three'])
})

it('makes a negated condition on a missing value true, however it is nested', () => {
  expect(kept([{ not: silver }])).toEqual(['four', 'one', 'three', 'two'])
  expect(kept([{ not: { not: silver } }])).toEqual([])
  expect(kept([{ not: { id: 'unit', filterType: 'above', filterValues: [8] } }])).toEqual(['four', 'one', 'three'])
  expect(kept([{ not: { id: 'isp', filterType: 'exclude', filterValues: ['Ant'] } }])).toEqual(['one'])
  const asInSql: Rules = { ...rightRules, negatedMissing: 'is unknown' }
  expect(kept([{ not: silver }], asInSql)).toEqual(['one', 'two'])
  expect(kept([{ not: { all: [silver, ant] } }], asInSql)).toEqual(['one', 'three', 'two'])
})

it('obeys the laws of De Morgan', () => {
  expect(kept([{ not: { any: [ant, silver] } }])).toEqual(kept([{ not: ant }, { not: silver }]))
  expect(kept([{ not: { all: [ant, silver] } }])).toEqual(kept([{ any: [{ not: ant }, { not: silver }] }]))
})

it('compares the text that points show', () => {
  expect(by('isp', 'contains', 'nt')).toEqual(['one', 'two'])
  expect(by('isp', 'contains', 'A')).toEqual(['one'])
  expect(by('isp', 'starts_with', 'Ä', 'Bee')).toEqual(['three', 'two'])
  expect(by('isp', 'ends_with', 't')).toEqual(['one', 'three', 'two'])
  expect(by('package', 'starts_with', 'Ant:')).toEqual(['one'])
  expect(by('package', 'contains', 'ast')).toEqual(['one'])
  expect(by('unit', 'starts_with', '1')).toEqual(['two'])
  expect(by('custom.line', 'contains', '.')).toEqual(['one'])
})

it('matches patterns anywhere in the text, in characters', () => {
  expect(by('isp', 'matches', '^.nt$')).toEqual(['one', 'two'])
  expect(by('isp', 'matches', 'n')).toEqual(['one', 'two'])
  expect(by('isp', 'matches', 'e.N')).toEqual(['three'])
  expect(by('isp', 'matches', '(?i)ä|NET$')).toEqual(['three', 'two'])
  expect(by('isp', 'matches', 'no', '^A')).toEqual(['one'])
})

it('compares numbers by value, and takes custom values that are no plain numbers as missing', () => {
  expect(by('unit', 'at_least', 10)).toEqual(['two'])
  expect(by('unit', 'above', '10')).toEqual([])
  expect(by('unit', 'at_most', 7)).toEqual(['one'])
  expect(by('unit', 'below', 7)).toEqual([])
  expect(by('custom.line', 'above', 2.5)).toEqual(['two'])
  expect(by('custom.line', 'below', 1e6)).toEqual(['one', 'two'])
  expect(by('custom.tier', 'at_least', 0)).toEqual([])
})

it('sees whether a value is there; an empty text is', () => {
  expect(by('custom.tier', 'is_set')).toEqual(['one', 'two'])
  expect(by('custom.tier', 'is_missing')).toEqual(['four', 'three'])
  expect(by('package', 'is_missing')).toEqual(['four', 'three', 'two'])
})

it('weights the hours in which a result can match a group', () => {
  const speeds = [
    { at: '2020-06-01 01:00:00', bytes_sec: 125_000 },
    { at: '2020-06-01 13:00:00', bytes_sec: 250_000 },
    { at: '2020-06-01 19:00:00', bytes_sec: 375_000 },
  ]
  const valueWith = (...filters: Filter[]): unknown =>
    ask(smallDataset('httpget', speeds), { metric: 'httpget', normalised: true, filters })[0]?.metricData[0]
      ?.metricValue
  const hours = (...filterValues: number[]): Filter => ({ id: 'hour_of_day', filterType: 'include', filterValues })
  const anybody: Filter = { id: 'agent', filterType: 'exclude', filterValues: ['nobody'] }
  // Blocks are 00–06, 12–18 and 18–20.
  expect(valueWith()).toBeCloseTo((6 * 1 + 6 * 2 + 2 * 3) / 14, 12)
  expect(valueWith({ any: [hours(1, 13), hours(19)] })).toBeCloseTo((1 + 2 + 3) / 3, 12)
  expect(valueWith({ not: hours(0, 2, 3) })).toBeCloseTo((3 * 1 + 6 * 2 + 2 * 3) / 11, 12)
  expect(valueWith({ any: [hours(1), anybody] })).toBeCloseTo((6 * 1 + 6 * 2 + 2 * 3) / 14, 12)
  expect(valueWith({ all: [hours(1, 13, 19), anybody] })).toBeCloseTo((1 + 2 + 3) / 3, 12)
  // The condition by itself could fail in another hour, so every hour can match its negation.
  expect(valueWith({ not: { all: [hours(1), { not: anybody }] } })).toBeCloseTo((6 * 1 + 6 * 2 + 2 * 3) / 14, 12)
})
