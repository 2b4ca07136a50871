import { expect, it } from 'vitest'
import { Fault } from '../../../src/base/fault.ts'
import { catalog } from '../../../src/catalog/catalog.ts'
import { visibleTo } from '../../../src/catalog/visible.ts'
import { checkTestDataRequest } from '../../../src/check/metric/test-data-request.ts'

const readable = [{ id: 7, key: 'homes', owned: true }]
const grants = { panels: readable, kinds: ['web'], tests: 'all', metrics: 'all', customFields: [], erased: [] } as const
const now = Temporal.Instant.from('2026-03-10T15:30:00Z')
const date = { from: '2026-01', to: '2026-02-10' }

function check(body: unknown): unknown {
  try {
    return checkTestDataRequest(body, visibleTo(grants, catalog), readable, now)
  } catch (error) {
    return error instanceof Fault ? error.errors : error
  }
}

it('rounds from down and to up', () => {
  expect(check({ test: 'httpget', date })).toMatchObject({
    test: { key: 'httpget' },
    panels: [7],
    days: { first: Temporal.PlainDate.from('2026-01-01'), last: Temporal.PlainDate.from('2026-02-10') },
  })
  expect(check({ test: 'httpget', date: { from: '2026-03', to: '2026' } })).toMatchObject({
    days: { first: Temporal.PlainDate.from('2026-03-01'), last: Temporal.PlainDate.from('2026-12-31') },
  })
  expect(check({ test: 'httpget', date: { from: '2026-03-10', to: '2026' } })).not.toHaveProperty('date[to]')
})

const missing = ['This field is missing.']
const choice = ['The value you selected is not a valid choice.']
const noDate = ['This value is not a valid date.']
const text = ['This value should be of type string.']

it.each([
  ['nothing', {}, { test: missing, date: missing }],
  ['a list', [], { body: ['This value should be of type object.'] }],
  ['an unknown test', { test: 'nonsense', date }, { test: choice }],
  ['a test no agent of the caller runs', { test: 'dns', date }, { test: choice }],
  ['a test that is not text', { test: 1, date }, { test: text }],
  ['a date that is text', { test: 'httpget', date: '2026' }, { date: ['This value should be of type object.'] }],
  ['no ends', { test: 'httpget', date: {} }, { 'date[from]': missing, 'date[to]': missing }],
  ['numbers', { test: 'httpget', date: { from: 2026, to: null } }, { 'date[from]': text, 'date[to]': text }],
  [
    'no dates',
    { test: 'httpget', date: { from: 'x', to: '2026-02-30' } },
    { 'date[from]': noDate, 'date[to]': noDate },
  ],
  [
    'the ends the wrong way round',
    { test: 'httpget', date: { from: '2026-02-11', to: '2026-02-10' } },
    { 'date[to]': ['This value should not be before date[from].'] },
  ],
  [
    'fields it does not know',
    { test: 'httpget', date: { ...date, until: 'now' }, panels: ['homes'] },
    { panels: ['This field was not expected.'], 'date[until]': ['This field was not expected.'] },
  ],
  [
    'everything at once',
    { test: 'x', date: { from: 'x' }, panel: 'y' },
    { test: choice, 'date[from]': noDate, 'date[to]': missing, panel: choice },
  ],
])('refuses %s', (_what, body, errors) => {
  expect(check(body)).toEqual(errors)
})
