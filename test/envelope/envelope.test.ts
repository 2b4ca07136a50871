import { expect, it } from 'vitest'
import { Fault, faultTable, validationFail, type FaultCode } from '../../src/base/fault.ts'
import { failed, ok } from '../../src/envelope/envelope.ts'

const sent = (body: unknown): string => JSON.stringify(body)

it('says OK and that the request was successful, and holds the data', () => {
  expect(sent(ok([1, 2]))).toBe('{"code":"OK","message":"Request successful","data":[1,2]}')
})

it('has no data where there is none to send, and null where null is the data', () => {
  expect(sent(ok())).toBe('{"code":"OK","message":"Request successful"}')
  expect(sent(ok(null))).toBe('{"code":"OK","message":"Request successful","data":null}')
})

it('names every fault of a request under its field', () => {
  expect(sent(failed(validationFail({ 'time[from]': ['This field is missing.'], metric: ['a', 'b'] })))).toBe(
    '{"code":"VALIDATION_FAIL","message":"Validation failed","errors":{"time[from]":["This field is missing."],"metric":["a","b"]}}',
  )
})

it('has errors of a failed validation also when there are none', () => {
  expect(failed(validationFail({}))).toEqual({ code: 'VALIDATION_FAIL', message: 'Validation failed', errors: {} })
})

it.each(Object.keys(faultTable) as FaultCode[])('%s has its code and message, and neither errors nor data', (code) => {
  expect(sent(failed(new Fault(code)))).toBe(sent({ code, message: faultTable[code].message }))
})

it('never shows what is for the operator’s log: detail, cause, headers, stack', () => {
  const fault = new Fault('UNKNOWN_ERROR', {
    message: 'shown',
    detail: 'hidden detail',
    headers: { 'retry-after': 'hidden' },
    cause: new Error('hidden cause'),
  })
  expect(failed(fault)).toEqual({ code: 'UNKNOWN_ERROR', message: 'shown' })
})
