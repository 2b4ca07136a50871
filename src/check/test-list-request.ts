import { choiceDetail } from './choices.ts'
import { FieldFaults, messages } from './field-faults.ts'

export type TestListRequest = { family: 'unit' | 'mobile' | null }

type Query = Readonly<Record<string, unknown>>

/** `?kind=unit` or `?kind=mobile` asks for one of the two lists. */
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
