import { expect, it } from 'vitest'
import { validationFail } from '../../../src/base/fault.ts'
import { catalog } from '../../../src/catalog/catalog.ts'
import { checkMetricRequest } from '../../../src/check/metric/metric-request.ts'
import { faultText } from '../../../src/serve/commands/fault-text.ts'

const messages = ['The value you selected is not a valid choice.']

it('names the choice that is closest to the value at the path of the error', () => {
  const details = { 'filters[1][id]': { choices: ['isp', 'package'], reason: 'No filter you can use has this id.' } }
  const request = { filters: [{ id: 'isp' }, { id: 'packge' }] }
  expect(faultText(validationFail({ 'filters[1][id]': messages }, details), request)).toBe(
    `Validation failed\n  filters[1][id]: ${messages[0]} No filter you can use has this id. Did you mean package? Choices: isp, package.`,
  )
})

it.each([
  ['metric', 'metric'],
  ['splits[3]', 'split'],
  ['compare[split]', 'split'],
  ['filters[0][id]', 'filter'],
  ['compare[filters][0][id]', 'filter'],
])('says for many choices of %s that `choices %s` lists all', (path, subject) => {
  const choices = Array.from({ length: 50 }, (_, index) => `choice ${index}`)
  const text = faultText(validationFail({ [path]: messages }, { [path]: { choices, choicesTotal: 800 } }), {})
  expect(text).toContain('The closest of 800 choices: ')
  expect(text).toMatch(new RegExp(`To list all: broadgauge choices ${subject}$`))
})

it('has only messages for errors without details, and for paths that the request does not have', () => {
  const fault = validationFail({ body: ['This value should be valid JSON.'], 'splits[9]': messages })
  expect(faultText(fault, 'no object')).toBe(
    `Validation failed\n  body: This value should be valid JSON.\n  splits[9]: ${messages[0]}`,
  )
})

it('finds the value of every path that the check of a request reports', () => {
  const request = {
    metric: 'htpget',
    chartType: 'aggregate',
    aggregation: 'dayly',
    normalised: false,
    prefilter: false,
    time: { from: '-7 days', to: 'now' },
    splits: ['ips'],
    filters: [{ id: 'contry', filterType: 'include', filterValues: ['GB'] }],
    preset: 'fcc.plan-band',
  }
  const visible = {
    ...catalog,
    dimensions: catalog.dimensions.map((one) => ({ ...one, metrics: null })),
    recordDimensions: [],
  }
  let text = ''
  try {
    checkMetricRequest(request, visible, [], Temporal.Instant.from('2026-01-31T00:00:00Z'))
  } catch (error) {
    text = faultText(error as Error, request)
  }
  const guesses = [...text.matchAll(/Did you mean (\S+)\?/g)].map(([, guess]) => guess)
  expect(new Set(guesses)).toEqual(new Set(['country', 'daily', 'fcc.plan-bands', 'httpget', 'isp']))
})
