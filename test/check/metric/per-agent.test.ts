import { expect, it } from 'vitest'
import { FieldFaults } from '../../../src/check/field-faults.ts'
import { checkFileCanHave } from '../../../src/check/metric/file-request.ts'
import { checkAgentPoints, type AgentPoints } from '../../../src/check/metric/per-agent.ts'
import { metricOf } from '../../compile/plans.ts'
import { errorsOf } from '../faults.ts'

const check = (body: Record<string, unknown>, metric = 'httpget'): AgentPoints => {
  const faults = new FieldFaults()
  const checked = checkAgentPoints({ chartType: 'aggregate', ...body }, [metricOf(metric)], faults)
  faults.throwIfAny()
  return checked
}
const errors = (body: Record<string, unknown>, metric?: string) => errorsOf(() => check(body, metric))

const mean = { statistic: 'mean' }
const [choice, number, missing] = [
  ['The value you selected is not a valid choice.'],
  ['This value should be of type number.'],
  ['This field is missing.'],
]

it('is about results if the request says nothing', () => {
  expect(check({})).toEqual({})
  expect(check({ perAgent: null, reaching: null, agent_agg: null })).toEqual({})
  expect(check({ agent_agg: false })).toEqual({})
})

it('takes agent_agg as the mean of each agent', () => {
  expect(check({ agent_agg: true })).toEqual(check({ perAgent: mean }))
  expect(check({ agent_agg: true, reaching: { above: 5 } }).reaching).toEqual({ is: 'above', value: 5 })
})

it('counts every agent with a result if the request names no minimum', () => {
  expect(check({ perAgent: mean }).perAgent).toEqual({ statistic: 'mean', minimumResults: 1 })
  expect(check({ perAgent: { ...mean, minimumResults: null } }).perAgent?.minimumResults).toBe(1)
  expect(check({ perAgent: { ...mean, minimumResults: 1_000_000 } }).perAgent?.minimumResults).toBe(1_000_000)
})

it.each<[Record<string, unknown>, unknown]>([
  [
    { statistic: 'percentile', level: 0 },
    { statistic: 'percentile', level: 0 },
  ],
  [
    { statistic: 'percentile', level: 99.9 },
    { statistic: 'percentile', level: 99.9 },
  ],
  [
    { statistic: 'share', atLeast: -1 },
    { statistic: 'share', threshold: { is: 'atLeast', value: -1 } },
  ],
  [
    { statistic: 'share', below: 5, atLeast: null },
    { statistic: 'share', threshold: { is: 'below', value: 5 } },
  ],
  [
    { statistic: 'trimmedMean', low: 1, high: 99 },
    { statistic: 'trimmedMean', low: 1, high: 99 },
  ],
  [{ statistic: 'max' }, { statistic: 'max' }],
])('accepts %o', (perAgent, expected) => {
  expect(check({ perAgent }).perAgent).toEqual({ ...(expected as object), minimumResults: 1 })
})

it.each<[string, Record<string, unknown>, unknown]>([
  ['no object', { perAgent: 'mean' }, { perAgent: ['This value should be of type object.'] }],
  ['no statistic', { perAgent: {} }, { 'perAgent[statistic]': missing }],
  ['another statistic', { perAgent: { statistic: 'mode' } }, { 'perAgent[statistic]': choice }],
  [
    'a member of another statistic',
    { perAgent: { ...mean, level: 5 } },
    { 'perAgent[level]': ['This field was not expected.'] },
  ],
  ['no level', { perAgent: { statistic: 'percentile' } }, { 'perAgent[level]': missing }],
  ['a level that is no number', { perAgent: { statistic: 'percentile', level: '5' } }, { 'perAgent[level]': number }],
  [
    'a level above 100',
    { perAgent: { statistic: 'percentile', level: 100.1 } },
    { 'perAgent[level]': ['This value should be between 0 and 100.'] },
  ],
  [
    'levels in the wrong order',
    { perAgent: { statistic: 'trimmedMean', low: 5, high: 5 } },
    { 'perAgent[high]': ['This value should be above perAgent[low].'] },
  ],
  [
    'no threshold',
    { perAgent: { statistic: 'share' } },
    { perAgent: ['This object should have exactly one of: atLeast, below.'] },
  ],
  [
    'two thresholds',
    { perAgent: mean, reaching: { atLeast: 1, above: 2 } },
    { reaching: ['This object should have exactly one of: atLeast, above, below.'] },
  ],
  [
    'half a result',
    { perAgent: { ...mean, minimumResults: 1.5 } },
    { 'perAgent[minimumResults]': ['This value should be of type integer.'] },
  ],
  [
    'no result',
    { perAgent: { ...mean, minimumResults: 0 } },
    { 'perAgent[minimumResults]': ['This value should be between 1 and 1000000.'] },
  ],
  [
    'reaching alone',
    { reaching: { atLeast: 1 } },
    { reaching: ['Only a request with "perAgent" can have "reaching".'] },
  ],
  [
    'both fields',
    { perAgent: mean, agent_agg: true },
    { agent_agg: ['Leave out this field: "perAgent" says what is computed of each agent.'] },
  ],
  ['agent_agg that is no flag', { agent_agg: 1 }, { agent_agg: ['This value should be of type bool.'] }],
  [
    'intervals by results',
    { perAgent: mean, intervals: 'results' },
    { intervals: ['Points about agents have only intervals by "agents".'] },
  ],
  [
    'sketches',
    { agent_agg: true, percentiles: 'sketch' },
    { percentiles: ['Percentiles of points about agents are "exact" or "none".'] },
  ],
  [
    'coverage',
    { perAgent: mean, include: ['coverage'] },
    { include: ['Points about agents can include only "meta" and "uncertainty".'] },
  ],
])('refuses %s', (_, body, expected) => {
  expect(errors(body)).toEqual(expected)
})

it('refuses raw points about agents, by the field that the request has', () => {
  const message = ['Raw points have no statistics; use the chart type "aggregate".']
  expect(errors({ chartType: 'raw', perAgent: mean })).toEqual({ perAgent: message })
  expect(errors({ chartType: 'raw', agent_agg: true })).toEqual({ agent_agg: message })
})

it('computes only the mean of a ratio', () => {
  expect(errors({ perAgent: mean }, 'packetLoss')).toBeNull()
  expect(errors({ perAgent: { statistic: 'median' } }, 'packetLoss')).toEqual({ 'perAgent[statistic]': choice })
})

it('refuses files with exact intervals, and no other', () => {
  const perAgent = { statistic: 'mean', minimumResults: 1 } as const
  const refused = (asked: Parameters<typeof checkFileCanHave>[0]) => errorsOf(() => checkFileCanHave(asked))
  expect(refused({ perAgent, include: [] })).toBeNull()
  expect(refused({ include: ['uncertainty'] })).toBeNull()
  expect(refused({ perAgent, include: ['uncertainty'] })).toHaveProperty('include')
  expect(refused({ perAgent, reaching: { is: 'below', value: 5 }, include: [] })).toHaveProperty('reaching')
})
