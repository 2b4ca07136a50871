import { expect, it } from 'vitest'
import { Fault } from '../../../src/base/fault.ts'
import { FieldFaults } from '../../../src/check/field-faults.ts'
import { checkPanelSelection } from '../../../src/check/metric/panel-selection.ts'

const readable = [
  { id: 7, key: 'homes', owned: true },
  { id: 3, key: 'phones', owned: false },
]

function select(value: unknown, panels = readable): readonly number[] | Fault['errors'] {
  const faults = new FieldFaults()
  const ids = checkPanelSelection(value, panels, faults)
  try {
    faults.throwIfAny()
    return ids
  } catch (error) {
    return error instanceof Fault ? error.errors : undefined
  }
}

const choice = ['The value you selected is not a valid choice.']
const type = ['This value should be of type string.']

it('is every readable panel by default, and none for a caller without readable panels', () => {
  expect(select(undefined)).toEqual([3, 7])
  expect(select(null)).toEqual([3, 7])
  expect(select(undefined, [])).toEqual([])
})

it('accepts one key or a list of keys, each once', () => {
  expect(select('homes')).toEqual([7])
  expect(select(['homes'])).toEqual([7])
  expect(select(['homes', 'phones', 'homes'])).toEqual([3, 7])
})

it.each([
  ['an unknown key', 'elsewhere', { panel: choice }],
  ['a key in other letters', 'Homes', { panel: choice }],
  ['a panel by its number', 7, { panel: type }],
  ['an object', { key: 'homes' }, { panel: type }],
  ['an empty list', [], { panel: choice }],
  ['bad items of a list', ['homes', 'elsewhere', 7], { 'panel[1]': choice, 'panel[2]': type }],
  ['a list in a list', [['homes']], { 'panel[0]': type }],
])('refuses %s', (_what, value, errors) => {
  expect(select(value)).toEqual(errors)
})
