import { expect, it } from 'vitest'
import { Fault } from '../../../src/base/fault.ts'
import { defaultPeak } from '../../../src/catalog/local-window.ts'
import { FieldFaults } from '../../../src/check/field-faults.ts'
import { leavesOf } from '../../../src/check/metric/filters/filter-tree.ts'
import { applyWindow, checkWindow } from '../../../src/check/metric/local-window.ts'
import { dimensionOf } from '../../compile/plans.ts'

function errorsOf(value: unknown): unknown {
  const faults = new FieldFaults()
  checkWindow(value, faults)
  try {
    faults.throwIfAny()
    return null
  } catch (error) {
    return error instanceof Fault ? error.errors : error
  }
}

const choice = ['The value you selected is not a valid choice.']
const type = (name: string) => [`This value should be of type ${name}.`]

it('reads both lists in ascending order, and null for a list that is missing', () => {
  expect(checkWindow({ weekdays: [7, 1], hours: [23, 0] }, new FieldFaults())).toEqual({
    weekdays: [1, 7],
    hours: [0, 23],
  })
  expect(checkWindow({ hours: [5] }, new FieldFaults())).toEqual({ weekdays: null, hours: [5] })
  expect(checkWindow({ weekdays: [5], hours: null }, new FieldFaults())).toEqual({ weekdays: [5], hours: null })
})

it('is absent if it is left out or null', () => {
  expect(checkWindow(undefined, new FieldFaults())).toBeNull()
  expect(checkWindow(null, new FieldFaults())).toBeNull()
})

it.each<[unknown, unknown]>([
  ['19-23', { window: type('object') }],
  [[], { window: type('object') }],
  [{}, { window: ['This object should contain weekdays or hours.'] }],
  [{ weekdays: null, hours: null }, { window: ['This object should contain weekdays or hours.'] }],
  [{ hours: [] }, { 'window[hours]': ['There must be at least 1 value.'] }],
  [{ weekdays: 5 }, { 'window[weekdays]': type('array') }],
  [
    { weekdays: [0, 1, 7, 8], hours: [-1, 0, 23, 24], days: [1] },
    {
      'window[days]': ['This field was not expected.'],
      'window[weekdays][0]': choice,
      'window[weekdays][3]': choice,
      'window[hours][0]': choice,
      'window[hours][3]': choice,
    },
  ],
  [
    { hours: ['19', 19.5, null, 19, 19] },
    {
      'window[hours][0]': type('integer'),
      'window[hours][1]': type('integer'),
      'window[hours][2]': type('integer'),
      'window[hours][4]': ['This value is repeated.'],
    },
  ],
])('refuses %j', (value, errors) => {
  expect(errorsOf(value)).toEqual(errors)
})

const window = { weekdays: null, hours: [12] }
const filterBy = (id: string) => ({ kind: 'leaf', dimension: dimensionOf(id), type: 'include', values: [] }) as const

function apply<Asked extends Parameters<typeof applyWindow>[0]>(
  asked: Asked,
  given: Parameters<typeof applyWindow>[1],
) {
  const faults = new FieldFaults()
  const applied = applyWindow(asked, given, faults)
  faults.throwIfAny()
  return applied
}

it('filters, unless the request splits or filters by peak', () => {
  const asked = { splits: [dimensionOf('hour_of_day')], filters: [filterBy('isp')] }
  expect(apply(asked, window)).toEqual({ ...asked, window })
  expect(apply(asked, null)).toEqual(asked)
})

it('defines peak in every split and filter by it', () => {
  const asked = { splits: [dimensionOf('isp'), dimensionOf('peak')], filters: [filterBy('peak')] }
  const applied = apply(asked, window)
  expect(applied).not.toHaveProperty('window')
  expect(applied.splits.map(({ source }) => source)).toEqual([
    dimensionOf('isp').source,
    { kind: 'clock', element: 'peak', window },
  ])
  expect(leavesOf(applied.filters)[0]?.dimension.source).toEqual({ kind: 'clock', element: 'peak', window })
  expect(apply(asked, null).splits[1]?.source).toEqual({ kind: 'clock', element: 'peak', window: defaultPeak })
})

it('refuses a base by peak if the request itself is not by peak: the points would contain other hours', () => {
  const compare = { base: { kind: 'filters', filters: [filterBy('peak')] }, alpha: 0.05 } as const
  const alone = { splits: [dimensionOf('isp')], filters: [], compare }
  expect(() => apply(alone, window)).toThrow(
    expect.objectContaining({ errors: { 'compare[filters]': [expect.any(String)] } }),
  )
  expect(apply(alone, null)).toEqual(alone)
  expect(apply({ ...alone, filters: [filterBy('peak')] }, window)).not.toHaveProperty('window')
})
