import { describe, expect, it } from 'vitest'
import { questionLimits } from '../../../src/check/question/content.ts'
import { catalog } from '../../../src/catalog/catalog.ts'
import { visibleTo } from '../../../src/catalog/visible.ts'
import { checkQuestion, checkStatistic, isQuestionKey } from '../../../src/check/question/question.ts'
import { addRelocated, inRequest } from '../../../src/check/question/relocated-faults.ts'
import { FieldFaults } from '../../../src/check/field-faults.ts'
import { unavailable, validationFail } from '../../../src/base/fault.ts'
import { choice, errorsOf, faultsOf, missing, type, unexpected } from '../faults.ts'

const visible = visibleTo(
  {
    panels: [{ id: 1, key: 'homes', owned: true }],
    kinds: ['whitebox'],
    tests: 'all',
    metrics: 'all',
    customFields: [
      { panel: 1, key: 'region', field: 1 },
      { panel: 1, key: ' odd ', field: 2 },
    ],
    erased: [],
  },
  catalog,
)

const minimal = { name: 'Speed', request: { metric: 'httpget' } }
const errors = (body: unknown) => faultsOf((faults) => checkQuestion(body, visible, faults))
const content = (body: unknown) => checkQuestion(body, visible, new FieldFaults())

describe('a question', () => {
  it('needs only a name and a request', () => {
    expect(content(minimal)).toEqual({
      name: 'Speed',
      description: '',
      request: { metric: 'httpget' },
      parameters: [],
      chart: null,
      tags: [],
    })
    expect(errors({})).toEqual({ name: missing, request: missing })
  })

  it('counts null as absent, except for what it needs', () => {
    const nulls = { description: null, parameters: null, chart: null, tags: null }
    expect(content({ ...minimal, ...nulls })).toEqual(content(minimal))
    expect(errors({ name: null, request: null })).toEqual({ name: type('string'), request: type('object') })
  })

  it('keeps its texts without the spaces around them', () => {
    const body = { ...minimal, name: ' Speed ', description: 'One line.\n\tAnother.\n', tags: [' weekly '] }
    expect(content(body)).toMatchObject({ name: 'Speed', description: 'One line.\n\tAnother.', tags: ['weekly'] })
  })

  it.each([
    ['a text', { body: type('object'), name: missing, request: missing }],
    [{ ...minimal, key: 'x' }, { key: unexpected }],
    [{ ...minimal, name: '  ' }, { name: ['This value should be 1 to 200 characters, none a control character.'] }],
    [{ ...minimal, name: 'a\nb' }, { name: ['This value should be 1 to 200 characters, none a control character.'] }],
    [{ ...minimal, request: [] }, { request: type('object') }],
    [{ ...minimal, tags: 'weekly' }, { tags: type('array') }],
    [{ ...minimal, tags: ['a', 'a'] }, { 'tags[1]': ['This value is repeated.'] }],
    [{ ...minimal, tags: ['a', ' a '] }, { 'tags[1]': ['This value is repeated.'] }],
    [
      { ...minimal, tags: [7, 7] },
      { 'tags[0]': type('string'), 'tags[1]': type('string') },
    ],
    [{ ...minimal, parameters: ['isp', 'nothing'] }, { 'parameters[1]': choice }],
    [{ ...minimal, parameters: ['isp', 'isp'] }, { 'parameters[1]': ['This value is repeated.'] }],
    [{ ...minimal, parameters: [null] }, { 'parameters[0]': type('string') }],
    [
      { ...minimal, chart: 'line' },
      { chart: type('object'), 'chart[kind]': missing },
    ],
    [{ ...minimal, chart: { kind: 'pie' } }, { 'chart[kind]': choice }],
    [{ ...minimal, chart: { kind: 'line', colour: 'red' } }, { 'chart[colour]': unexpected }],
    [{ ...minimal, chart: { kind: 'line', statistic: 5 } }, { 'chart[statistic]': type('string') }],
  ])('refuses %o', (body, expected) => {
    expect(errors(body)).toEqual(expected)
  })

  it('may name the dimensions that its metric has, and custom fields', () => {
    const parameters = ['isp', 'target', 'custom.region', 'custom. odd ']
    expect(content({ ...minimal, parameters })?.parameters).toEqual(parameters)
    const ofTwo = { ...minimal, request: { metrics: ['httpget', 'latency'] } }
    expect(errors({ ...ofTwo, parameters: ['isp', 'target'] })).toBeNull()
    expect(errors({ ...ofTwo, parameters: ['threads'] })).toEqual({ 'parameters[0]': choice })
    const ofDns = { ...minimal, request: { metric: 'dnsResponse' }, parameters: ['threads'] }
    expect(errors(ofDns)).toEqual({ 'parameters[0]': choice })
  })

  it.each([
    ['name', (length: number) => ({ name: 'n'.repeat(length) }), questionLimits.nameCharactersMax],
    ['description', (length: number) => ({ description: 'd'.repeat(length) }), questionLimits.descriptionCharactersMax],
    ['tags[0]', (length: number) => ({ tags: ['t'.repeat(length)] }), questionLimits.tagCharactersMax],
    ['tags', (length: number) => ({ tags: Array.from({ length }, (_, index) => `${index}`) }), questionLimits.tagsMax],
    [
      'request',
      (length: number) => ({ request: { metric: 'm'.repeat(length - '{"metric":""}'.length) } }),
      questionLimits.requestCharactersMax,
    ],
  ])('limits %s', (path, body, max) => {
    expect(errors({ ...minimal, ...body(max) })).toBeNull()
    expect(Object.keys(errors({ ...minimal, ...body(max + 1) }) ?? {})).toEqual([path])
  })
})

it.each([
  ['a', true],
  ['download-speed-2026', true],
  ['9', true],
  ['a'.repeat(63), true],
  ['a'.repeat(64), false],
  ['', false],
  ['-a', false],
  ['Speed', false],
  ['a.csv', false],
  ['a\n', false],
])('has keys like %j: %s', (key, isKey) => {
  expect(isQuestionKey(key)).toBe(isKey)
})

it('can draw only a number that the points have', () => {
  const of = (statistic: string) =>
    faultsOf((faults) => checkStatistic({ kind: 'line', statistic }, ['metricValue', 'percentiles.95'], faults))
  expect(of('percentiles.95')).toBeNull()
  expect(of('percentiles.5')).toEqual({ 'chart[statistic]': choice })
  expect(faultsOf((faults) => checkStatistic(null, [], faults))).toBeNull()
})

describe('a fault of the saved request', () => {
  it('is named by its place in the question, with its detail', () => {
    const faults = new FieldFaults()
    faults.add('name', 'This field is missing.')
    const inside = { metric: ['one', 'two'], 'time[from]': missing, body: missing }
    addRelocated(validationFail(inside, { metric: { choices: ['httpget'] } }), inRequest, faults)
    expect(() => faults.throwIfAny()).toThrow(
      expect.objectContaining({
        errors: { name: missing, 'request[metric]': ['one', 'two'], 'request[time][from]': missing, request: missing },
        details: { 'request[metric]': { choices: ['httpget'] } },
      }),
    )
  })

  it('is not confused with another error', () => {
    const busy = unavailable('busy')
    expect(() => addRelocated(busy, inRequest, new FieldFaults())).toThrow(busy)
    expect(errorsOf(() => addRelocated(validationFail({}), inRequest, new FieldFaults()))).toBeNull()
  })
})
