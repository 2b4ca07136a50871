import { expect, it } from 'vitest'
import {
  accessDenied,
  callerLeft,
  Fault,
  faultTable,
  isUnavailable,
  storeUnavailable,
  validationFail,
  type FaultCode,
} from '../../src/base/fault.ts'

it.each<[FaultCode, number]>([
  ['BAD_REQUEST', 400],
  ['ACCESS_DENIED', 403],
  ['NOT_FOUND', 404],
  ['METHOD_NOT_ALLOWED', 405],
  ['REQUEST_TIMEOUT', 408],
  ['CONFLICT', 409],
  ['PAYLOAD_TOO_LARGE', 413],
  ['UNSUPPORTED_MEDIA_TYPE', 415],
  ['VALIDATION_FAIL', 422],
  ['QUERY_TOO_LARGE', 422],
  ['TOO_MANY_REQUESTS', 429],
  ['HEADERS_TOO_LARGE', 431],
  ['UNKNOWN_ERROR', 500],
  ['SERVICE_UNAVAILABLE', 503],
])('%s is answered with %d and the message of its row', (code, status) => {
  const fault = new Fault(code)
  expect(fault).toMatchObject({ name: 'Fault', code, status, message: faultTable[code].message, headers: {} })
  expect(fault.errors).toBeUndefined()
  expect(fault.detail).toBeUndefined()
})

it.each<[FaultCode, string]>([
  ['ACCESS_DENIED', 'Access Denied'],
  ['NOT_FOUND', 'Not found'],
  ['VALIDATION_FAIL', 'Validation failed'],
])('%s has the text of the specification: %s', (code, message) => {
  expect(new Fault(code).message).toBe(message)
})

it('carries the given message, errors, headers, detail and cause', () => {
  const cause = new Error('cause')
  const options = { message: 'm', errors: { a: ['b'] }, headers: { h: 'v' }, detail: 'd', cause }
  expect(new Fault('CONFLICT', options)).toMatchObject({ status: 409, ...options })
})

it('builds the common faults', () => {
  expect(accessDenied('no such token')).toMatchObject({ code: 'ACCESS_DENIED', detail: 'no such token' })
  expect(callerLeft()).toMatchObject({ code: 'BAD_REQUEST', detail: 'the caller hung up' })
  expect(validationFail({ a: ['b'] })).toMatchObject({ code: 'VALIDATION_FAIL', errors: { a: ['b'] } })
  expect(storeUnavailable('PostgreSQL', 'x')).toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    headers: { 'retry-after': '5' },
    detail: 'PostgreSQL is unavailable',
    cause: 'x',
  })
})

it.each([
  [storeUnavailable('ClickHouse', null), true],
  [new Fault('NOT_FOUND'), false],
  [Object.assign(new Error('x'), { code: 'SERVICE_UNAVAILABLE' }), false],
  [null, false],
])('distinguishes an unavailable store from other errors', (error, expected) => {
  expect(isUnavailable(error)).toBe(expected)
})
