import { describe, expect, it } from 'vitest'
import { Fault } from '../../src/base/fault.ts'
import { responseFormats } from '../../src/catalog/response-formats.ts'
import { acceptedFormat, checkFormatCanHave, checkFormatOf } from '../../src/check/response-format.ts'

describe('the format that Accept selects', () => {
  it.each([
    [undefined, 'json'],
    ['*/*', 'json'],
    ['text/*', 'json'],
    ['application/json', 'json'],
    ['text/csv', 'csv'],
    ['TEXT/CSV; charset=utf-8', 'csv'],
    ['application/x-ndjson', 'ndjson'],
    ['application/vnd.apache.arrow.stream', 'arrow'],
    ['application/vnd.apache.arrow.file', 'json'],
    ['text/csv;q=0', 'json'],
    ['text/csv;q=0.5, application/json', 'json'],
    ['application/json;q=0.5, text/csv', 'csv'],
    ['text/csv, application/x-ndjson', 'csv'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'json'],
  ])('%s: %s', (accept, key) => {
    expect(acceptedFormat(accept).key).toBe(key)
  })
})

describe('the format of a request', () => {
  const keyOf = (...asked: Parameters<typeof checkFormatOf>) => checkFormatOf(...asked).format.key
  const errorsOf = (...asked: Parameters<typeof checkFormatOf>) => {
    try {
      checkFormatOf(...asked)
    } catch (error) {
      if (error instanceof Fault) return { errors: error.errors, details: error.details }
    }
    throw new Error('nothing was refused')
  }

  it('is that of the body or of the query string, and otherwise that of Accept', () => {
    expect(keyOf({ format: 'csv' }, {}, 'application/json')).toBe('csv')
    expect(keyOf({}, { format: 'arrow' }, 'text/csv')).toBe('arrow')
    expect(keyOf({ format: 'csv' }, { format: 'csv' }, undefined)).toBe('csv')
    expect(keyOf({ format: null }, {}, 'text/csv')).toBe('csv')
    expect(keyOf({}, {}, undefined)).toBe('json')
  })

  it('is no part of the request that is checked further', () => {
    expect(checkFormatOf({ format: 'csv', metric: 'x' }, {}, undefined).request).toEqual({ metric: 'x' })
    expect(checkFormatOf([], {}, undefined).request).toEqual([])
  })

  it('may not differ between body and query string', () => {
    expect(errorsOf({ format: 'csv' }, { format: 'json' }, undefined).errors).toEqual({
      format: ['The formats in the body and in the query string differ.'],
    })
  })

  it('must be known, and no other parameter is allowed', () => {
    const { errors, details } = errorsOf({ format: 'xml' }, { page: '1' }, undefined)
    expect(Object.keys(errors ?? {})).toEqual(['page', 'format'])
    expect(details?.['format']?.choices).toEqual(['json', 'csv', 'ndjson', 'arrow'])
    expect(errorsOf({}, { format: ['csv', 'json'] }, undefined).errors).toHaveProperty('format')
  })
})

it('refuses "meta" in the formats that have no place for it', () => {
  const refused = responseFormats.filter((format) => {
    try {
      checkFormatCanHave(format, { include: ['meta'] })
      return false
    } catch (error) {
      expect(error instanceof Fault && error.details).toEqual({ format: { choices: ['json', 'arrow'] } })
      return true
    }
  })
  expect(refused.map(({ key }) => key)).toEqual(['csv', 'ndjson'])
  for (const format of responseFormats) checkFormatCanHave(format, { include: ['coverage'] })
})
