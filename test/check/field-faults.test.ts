import { expect, it } from 'vitest'
import { type FieldFaults, faultsMax, isLonger, isObject, isStorable, shown } from '../../src/check/field-faults.ts'
import { faultsOf, unexpected } from './faults.ts'

it('throws nothing without a fault', () => {
  expect(faultsOf(() => {})).toBeNull()
})

it('keeps every message of a field, in order', () => {
  expect(
    faultsOf((faults) => {
      faults.add('a', 'one')
      faults.add('b', 'two')
      faults.add('a', 'three')
    }),
  ).toEqual({ a: ['one', 'three'], b: ['two'] })
})

it('accepts field names that are members of every object', () => {
  expect(faultsOf((faults) => faults.add('constructor', 'x'))).toEqual({ constructor: ['x'] })
})

it('names unexpected fields by their path', () => {
  expect(faultsOf((faults) => faults.addUnexpected({ a: 1, b: 2 }, ['a']))).toEqual({ b: unexpected })
  expect(faultsOf((faults) => faults.addUnexpected({ a: 1, b: 2 }, ['b'], 'agent[custom]'))).toEqual({
    'agent[custom][a]': unexpected,
  })
})

it('stops counting after a thousand faults', () => {
  const many = (count: number) => (faults: FieldFaults) => {
    for (let index = 0; index < count; index += 1) faults.add(`f${index}`, 'x')
  }
  expect(faultsMax).toBe(1_000)
  expect(Object.keys(faultsOf(many(1_000)) ?? {})).toHaveLength(1_000)
  expect(Object.keys(faultsOf(many(1_001)) ?? {})).toHaveLength(1_000)
  const onOneField = faultsOf((faults) => {
    for (let index = 0; index < 1_001; index += 1) faults.add('f', 'x')
  })
  expect(onOneField?.['f']).toHaveLength(1_000)
})

it.each([
  [{}, true],
  [{ a: 1 }, true],
  [[], false],
  [null, false],
  [undefined, false],
  ['x', false],
  [1, false],
])('classifies %j as an object: %s', (value, expected) => {
  expect(isObject(value)).toBe(expected)
})

it.each([
  ['text', 'text'],
  [1.5, '1.5'],
  [null, 'null'],
  [true, 'true'],
  [['a'], '["a"]'],
])('shows %j as %s', (value, text) => {
  expect(shown(value)).toBe(text)
})

it.each([
  ['', true],
  ['Größe 👍', true],
  ['a\u0000', false],
  ['a\u001f', false],
  ['a\n', false],
  ['a\u007f', false],
  ['a\u0085', false],
  ['\ud800', false],
  ['\udc00\ud800', false],
])('can store %j: %s', (text, expected) => {
  expect(isStorable(text)).toBe(expected)
})

it.each([
  ['abc', 3, false],
  ['abcd', 3, true],
  ['👍👍👍', 3, false],
  ['👍👍👍👍', 3, true],
])('counts the characters of %s: longer than %d is %s', (text, max, expected) => {
  expect(isLonger(text, max)).toBe(expected)
})
