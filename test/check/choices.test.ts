import { expect, it } from 'vitest'
import { Fault } from '../../src/base/fault.ts'
import { choiceDetail, choicesMax } from '../../src/check/choices.ts'
import { detailsMax, FieldFaults } from '../../src/check/field-faults.ts'

const many = Array.from({ length: 3_000 }, (_, index) => `custom.field ${index}`)

it('lists all choices if there are few, in their order, for any value', () => {
  const few = many.slice(0, choicesMax)
  expect(choiceDetail('custom.field 49', few)).toEqual({ choices: few })
  expect(choiceDetail(7, ['b', 'a'], 'Why not.')).toEqual({ choices: ['b', 'a'], reason: 'Why not.' })
})

it('lists the choices with the longest common prefix if there are many, and the number of all', () => {
  const { choices = [], choicesTotal } = choiceDetail('CUSTOM.Field 299x', ['isp', ...many])
  expect(choicesTotal).toBe(3_001)
  expect(choices).toHaveLength(choicesMax)
  expect(choices[0]).toBe('custom.field 299')
  expect(choices.slice(1, 11)).toEqual(Array.from({ length: 10 }, (_, digit) => `custom.field 299${digit}`))
})

function detailsOf(faults: FieldFaults) {
  try {
    faults.throwIfAny()
  } catch (error) {
    if (error instanceof Fault) return error.details ?? {}
  }
  throw new Error('there was no fault')
}

it('details only the first faults, and computes no choices for the others', () => {
  const faults = new FieldFaults()
  let asked = 0
  for (let index = 0; index < 500; index += 1) {
    faults.addChoice(`splits[${index}]`, 'x'.repeat(20_000), () => {
      asked += 1
      return many
    })
  }
  expect(asked).toBe(detailsMax)
  expect(Object.keys(detailsOf(faults))).toHaveLength(detailsMax)
})

it('has no details for a fault without more information', () => {
  const faults = new FieldFaults()
  faults.addUnexpected({ x: 1 }, [])
  expect(detailsOf(faults)).toEqual({})
})
