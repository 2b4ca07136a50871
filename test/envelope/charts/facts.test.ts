import { expect, it } from 'vitest'
import { drawnAnswer } from '../../../src/envelope/charts/drawn-answer.ts'
import { factsOf } from '../../../src/envelope/charts/facts.ts'

const time = { from: '2026-01-01T00:00:00', to: '2026-01-31T23:59:59' }
const metric = { key: 'httpget', name: 'Download', unit: 'mbps' }

function facts(
  request: object,
  points: object[],
  more: { meta?: object; warnings?: [{ code: 'panels_pooled'; message: string }] } = {},
) {
  const question = { request: { aggregation: 'daily', prefilter: true, ...request }, chart: null }
  const found = { data: [{ metricData: points }], ...more, meta: { metric, time, ...more.meta } }
  return Object.fromEntries(
    factsOf(question, found, drawnAnswer(question, found)).map(({ name, text }) => [name, text]),
  )
}

const point = { dtime: '2026-01-05', metricValue: 50, sampleCount: 1_200, agentCount: 38, ci95: 1 }

it('names the range, the results, the agents and the intervals', () => {
  expect(facts({}, [point, { ...point, sampleCount: 800, agentCount: 40 }])).toEqual({
    Range: '2026-01-01 00:00 to 2026-01-31 23:59, local time of the agents',
    Values: 'without results that the prefilter excludes',
    Results: 'n = 2,000',
    Agents: '38 to 40 per point',
    Intervals: '95 % confidence intervals',
  })
  expect(facts({ intervals: 'results' }, [point])['Intervals']).toBe(
    '95 % confidence intervals for independent results, which are too narrow for a panel',
  )
  expect(facts({ prefilter: false, normalised: true }, [{ ...point, ci95: null }])).toMatchObject({
    Values: 'every hour of the day has the same weight; without prefilter',
    Agents: '38 per point',
  })
})

it('writes filters as people do, also groups, and shortens lists', () => {
  const filters = [
    { id: 'country', filterType: 'include', filterValues: ['GB'] },
    {
      any: [
        { id: 'isp', filterType: 'exclude', filterValues: ['Acme', 'Northnet'] },
        { not: { id: 'unit', filterType: 'is_set' } },
      ],
    },
    { id: 'unit', filterType: '1', filterValues: Array.from({ length: 10 }, (_, index) => index) },
    {
      all: [
        { id: 'threads', filterType: 'at_least', filterValues: [4] },
        { any: [{ id: 'a', filterType: 'is_missing' }] },
      ],
    },
  ]
  expect(facts({ filters }, [point])['Filters']).toBe(
    'country = GB; isp ≠ Acme, Northnet or not (unit has a value); unit = 0, 1, 2, 3, 4, 5, 6, 7, 2 more; threads ≥ 4 and (a has no value)',
  )
})

it('names hours, statistics of agents, partial periods, cautions and warnings', () => {
  const meta = {
    window: { weekdays: [1, 2, 3, 4, 5, 7], hours: [19, 20, 21, 22] },
    perAgent: { statistic: 'percentile', level: 20 },
    relativeTo: 'plan',
  }
  const warnings: [{ code: 'panels_pooled'; message: string }] = [{ code: 'panels_pooled', message: 'Two panels.' }]
  const points = [
    { ...point, partial: true, caution: ['few_agents'] },
    { ...point, caution: ['few_agents', 'dominated'] },
  ]
  expect(facts({ preset: 'x' }, points, { meta, warnings })).toMatchObject({
    Hours: 'Monday–Friday, Sunday, 19:00–22:59, local time of the agents',
    Values:
      'preset x; of each agent: statistic percentile, level 20; relative to the plan speed; without results that the prefilter excludes',
    Partial: 'hollow marks: the range has only a part of the period',
    Caution: 'intervals may be too narrow: few agents (2 points), one agent dominates (1 point)',
    Warning: 'Two panels.',
  })
})

it.each([...['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'].entries()])(
  'calls the day %i of a window %s',
  (index, name) => {
    const meta = { window: { weekdays: [index + 1] } }
    expect(facts({}, [point], { meta })['Hours']).toBe(`${name}, local time of the agents`)
  },
)
