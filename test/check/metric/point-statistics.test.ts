import { expect, it } from 'vitest'
import { pointFields } from '../../../src/catalog/point-fields.ts'
import { FieldFaults } from '../../../src/check/field-faults.ts'
import {
  checkPointStatistics,
  groupsByAgent,
  needsEachAgent,
  type PointStatistics,
} from '../../../src/check/metric/point-statistics.ts'
import { errorsOf } from '../faults.ts'

const check = (body: Record<string, unknown>, isRaw = false): PointStatistics => {
  const faults = new FieldFaults()
  const checked = checkPointStatistics(body, isRaw, faults)
  faults.throwIfAny()
  return checked
}
const errors = (body: Record<string, unknown>, isRaw = false) => errorsOf(() => check(body, isRaw))

it('asks for all statistics, with intervals by agents, if the request says nothing', () => {
  const everything = { fields: [...pointFields], intervals: 'agents', include: [], percentiles: 'exact' }
  expect(check({})).toEqual(everything)
  expect(check({ fields: null, intervals: null, include: null, percentiles: null })).toEqual(everything)
})

it('computes no percentiles if the fields contain neither percentiles nor median', () => {
  expect(check({ fields: ['metricValue'] }).percentiles).toBe('none')
  expect(check({ fields: ['metricValue'], percentiles: 'sketch' }).percentiles).toBe('none')
  expect(check({ fields: ['median'] }).percentiles).toBe('exact')
  expect(check({ fields: ['percentiles'], percentiles: 'sketch' }).percentiles).toBe('sketch')
})

it('leaves out median and percentiles if the request wants none', () => {
  expect(check({ percentiles: 'none' }).fields).toEqual(pointFields.slice(0, -2))
})

it('lists the fields in the order of the response', () => {
  expect(check({ fields: ['max', 'ci95', 'metricValue'] }).fields).toEqual(['metricValue', 'ci95', 'max'])
})

it.each<[string, Record<string, unknown>, Record<string, string[]>]>([
  ['an unknown field', { fields: ['mean'] }, { 'fields[0]': ['The value you selected is not a valid choice.'] }],
  ['a field twice', { fields: ['min', 'min'] }, { 'fields[1]': ['This value is repeated.'] }],
  ['no field', { fields: [] }, { fields: ['This list should contain at least one field.'] }],
  ['fields that are no list', { fields: 'min' }, { fields: ['This value should be of type array.'] }],
  ['a field that is no text', { fields: [1] }, { 'fields[0]': ['This value should be of type string.'] }],
  [
    'percentiles that are not computed',
    { fields: ['median', 'min'], percentiles: 'none' },
    { fields: ['The field "median" is not computed if "percentiles" is "none".'] },
  ],
  ['other intervals', { intervals: 'units' }, { intervals: ['The value you selected is not a valid choice.'] }],
  ['another inclusion', { include: ['x'] }, { 'include[0]': ['The value you selected is not a valid choice.'] }],
])('refuses %s', (_name, body, expected) => {
  expect(errors(body)).toEqual(expected)
})

it('refuses statistics of raw points', () => {
  const message = ['Raw points have no statistics; use the chart type "aggregate".']
  const body = { fields: ['min'], intervals: 'agents', include: ['uncertainty'], percentiles: 'sketch' }
  const onlyPrefilter = ['Raw points have no statistics; they can include only "prefilter".']
  expect(errors(body, true)).toEqual({ fields: message, intervals: message, include: onlyPrefilter })
  expect(check({ include: ['prefilter'], prefilter: true }, true).include).toEqual(['prefilter'])
})

it('explains only a prefilter that is applied', () => {
  const message = ['Only a request with "prefilter": true can include "prefilter".']
  expect(errors({ include: ['prefilter'], prefilter: false })).toEqual({ include: message })
  expect(check({ include: ['prefilter'], prefilter: true }).include).toEqual(['prefilter'])
})

it.each<[boolean, Partial<PointStatistics>]>([
  [true, {}],
  [true, { fields: ['ci90'] }],
  [false, { fields: ['metricValue', 'agentCount'] }],
  [false, { intervals: 'results' }],
  [true, { intervals: 'results', include: ['uncertainty'] }],
  [true, { fields: ['metricValue'], include: ['uncertainty'] }],
])('needs each agent: %s with %j', (expected, asked) => {
  expect(needsEachAgent({ ...check({}), ...asked })).toBe(expected)
})

it.each<[boolean, Partial<PointStatistics>]>([
  [true, {}],
  [false, { fields: ['metricValue'] }],
  [false, { fields: ['metricValue'], include: ['meta'] }],
  [true, { fields: ['metricValue'], include: ['prefilter'] }],
  [true, { fields: ['metricValue'], include: ['coverage'] }],
])('groups by agent: %s with %j', (expected, asked) => {
  expect(groupsByAgent({ ...check({}), ...asked })).toBe(expected)
})
