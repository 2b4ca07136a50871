import { validationFail } from '../base/fault.ts'

export type TestListRequest = { family: 'unit' | 'mobile' | null }

/** `?kind=unit` or `?kind=mobile` asks for one of the two lists. */
export function checkTestListRequest(query: Readonly<Record<string, unknown>>): TestListRequest {
  const errors = unexpectedFields(query, ['kind'])
  const family = familyOf(query['kind'])
  if (family === undefined) errors['kind'] = ['The value you selected is not a valid choice.']
  if (family === undefined || Object.keys(errors).length > 0) throw validationFail(errors)
  return { family }
}

function familyOf(kind: unknown): TestListRequest['family'] | undefined {
  if (kind === undefined) return null
  return kind === 'unit' || kind === 'mobile' ? kind : undefined
}

/** For listings that take no parameters at all: one that is misspelt must not be taken for one that is absent. */
export function checkNoParameters(query: Readonly<Record<string, unknown>>): void {
  const errors = unexpectedFields(query, [])
  if (Object.keys(errors).length > 0) throw validationFail(errors)
}

const unexpectedFields = (query: Readonly<Record<string, unknown>>, expected: string[]): Record<string, string[]> =>
  Object.fromEntries(
    Object.keys(query)
      .filter((name) => !expected.includes(name))
      .map((name) => [name, ['This field was not expected.']]),
  )
