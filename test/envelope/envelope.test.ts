import { expect, it } from 'vitest'
import { Fault, faultTable, validationFail, type FaultCode } from '../../src/base/fault.ts'
import { failed, ok } from '../../src/envelope/envelope.ts'

const sent = (body: unknown): string => JSON.stringify(body)

it('has OK, the success message, and the data', () => {
  expect(sent(ok([1, 2]))).toBe('{"code":"OK","message":"Request successful","data":[1,2]}')
})

it('has no data if there is none to send, and null if null is the data', () => {
  expect(sent(ok())).toBe('{"code":"OK","message":"Request successful"}')
  expect(sent(ok(null))).toBe('{"code":"OK","message":"Request successful","data":null}')
})

it('names every fault of a request under its field', () => {
  expect(sent(failed(validationFail({ 'time[from]': ['This field is missing.'], metric: ['a', 'b'] })))).toBe(
    '{"code":"VALIDATION_FAIL","message":"Validation failed","errors":{"time[from]":["This field is missing."],"metric":["a","b"]}}',
  )
})

it('has errors of a failed validation even if the list is empty', () => {
  expect(failed(validationFail({}))).toEqual({ code: 'VALIDATION_FAIL', message: 'Validation failed', errors: {} })
})

it.each(Object.keys(faultTable) as FaultCode[])('%s has its code and message, and neither errors nor data', (code) => {
  expect(sent(failed(new Fault(code)))).toBe(sent({ code, message: faultTable[code].message }))
})

it('never shows what belongs in the operator’s log: detail, cause, headers, stack', () => {
  const fault = new Fault('UNKNOWN_ERROR', {
    message: 'shown',
    detail: 'hidden detail',
    headers: { 'retry-after': 'hidden' },
    cause: new Error('hidden cause'),
  })
  expect(failed(fault)).toEqual({ code: 'UNKNOWN_ERROR', message: 'shown' })
})
