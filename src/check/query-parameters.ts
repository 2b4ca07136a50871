import { FieldFaults, messages } from './field-faults.ts'
import { limits } from '../base/limits.ts'
import { choiceDetail } from './choices.ts'

/**
 * For requests with a body. A field in the URL must be refused: the service would ignore it and treat the field as absent. GET
 * requests may have unknown parameters, because proxies and caches add parameters of their own.
 */
export function checkNoParameters(query: Readonly<Record<string, unknown>>): void {
  const faults = new FieldFaults()
  faults.addUnexpected(query, [])
  faults.throwIfAny()
}

export function limitOf(value: unknown, faults: FieldFaults): number {
  if (value === undefined) return limits.valuesDefault
  if (typeof value !== 'string' || !/^\d{1,9}$/.test(value)) faults.add('limit', messages.type('integer'))
  else if (Number(value) < 1 || Number(value) > limits.valuesMax) {
    faults.add('limit', `This value should be between 1 and ${limits.valuesMax}.`)
  } else return Number(value)
  return limits.valuesDefault
}

export type TestListRequest = { family: 'unit' | 'mobile' | null }

type Query = Readonly<Record<string, unknown>>

/** `?kind=unit` or `?kind=mobile` selects one of the two lists of tests. */
export function checkTestListRequest(query: Query): TestListRequest {
  const faults = new FieldFaults()
  const family = familyOf(query['kind'])
  if (family === undefined) {
    faults.add('kind', messages.choice, () => choiceDetail(query['kind'], ['unit', 'mobile']))
  }
  faults.throwIfAny()
  return { family: family ?? null }
}

function familyOf(kind: unknown): TestListRequest['family'] | undefined {
  if (kind === undefined) return null
  return kind === 'unit' || kind === 'mobile' ? kind : undefined
}
