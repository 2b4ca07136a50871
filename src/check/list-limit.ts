import { limits } from '../base/limits.ts'
import { messages, type FieldFaults } from './field-faults.ts'

/** How many of a list at most. */
export function limitOf(value: unknown, faults: FieldFaults): number {
  if (value === undefined) return limits.valuesDefault
  if (typeof value !== 'string' || !/^\d{1,9}$/.test(value)) faults.add('limit', messages.type('integer'))
  else if (Number(value) < 1 || Number(value) > limits.valuesMax) {
    faults.add('limit', `This value should be between 1 and ${limits.valuesMax}.`)
  } else return Number(value)
  return limits.valuesDefault
}
