import { describe, expect, it } from 'vitest'
import { Fault } from '../../src/base/fault.ts'
import { ingestLimits } from '../../src/base/limits.ts'
import { catalog } from '../../src/catalog/catalog.ts'
import { visibleTo } from '../../src/catalog/visible.ts'
import { checkAgentReference } from '../../src/check/metadata/metadata-selector.ts'
import { checkExportFormat } from '../../src/check/metric/test-data-request.ts'
import { FieldFaults } from '../../src/check/field-faults.ts'
import { checkIdempotencyKey } from '../../src/check/idempotency-key.ts'
import { checkIngestRequest } from '../../src/check/rows/ingest-request.ts'
import { checkNoParameters, checkTestListRequest, limitOf } from '../../src/check/query-parameters.ts'
import { checkAgentSearch, checkListLimit } from '../../src/check/metadata/search-request.ts'
import { checkValuesRequest } from '../../src/check/metric/values-request.ts'
import { choice, codeOf, errorsOf, faultsOf, missing, type } from './faults.ts'

describe('GET /metadata/{field}/{value}', () => {
  it.each([
    [{ field: 'agent', value: 'A-1' }],
    [{ field: 'mac', value: '00:11' }],
    [{ field: 'unit', value: '7' }],
    [{ field: 'unit', value: '0' }],
    [{ field: 'unit', value: '9007199254740991' }],
  ])('accepts %j', (reference) => {
    expect(checkAgentReference(reference)).toEqual(reference)
  })

  it.each([
    [{ field: 'agent', value: '' }],
    [{ field: 'agent', value: '--' }],
    [{ field: 'agent', value: 'aé' }],
    [{ field: 'agent', value: 'a\u0000' }],
    [{ field: 'mac', value: '::' }],
    [{ field: 'unit', value: '07' }],
    [{ field: 'unit', value: '-7' }],
    [{ field: 'unit', value: '7a' }],
    [{ field: 'unit', value: '9007199254740992' }],
    [{ field: 'unit', value: '' }],
    [{ field: 'isp', value: 'Acme' }],
    [{ value: 'A-1' }],
    [{ field: 'agent' }],
  ])('answers for %j as for an unknown agent', (reference) => {
    expect(checkAgentReference(reference as Record<string, string>)).toBeNull()
  })
})

describe('a format of an export', () => {
  const formatOf = (body: unknown) => checkExportFormat(body, new FieldFaults())

  it('is CSV by default, and is removed from the request', () => {
    expect(formatOf({ metric: 'httpget' })).toMatchObject({ format: { key: 'csv' }, request: { metric: 'httpget' } })
    expect(formatOf({ metric: 'httpget', format: 'parquet' })).toEqual({
      format: expect.objectContaining({ key: 'parquet' }),
      request: { metric: 'httpget' },
    })
  })

  it.each(['csv', 'csv.gz', 'parquet'])('can be %s', (format) => {
    expect(formatOf({ format }).format.key).toBe(format)
    expect(faultsOf((faults) => checkExportFormat({ format }, faults))).toBeNull()
  })

  it('is refused if it is unknown, or not text', () => {
    expect(faultsOf((faults) => checkExportFormat({ format: 'xlsx' }, faults))).toEqual({ format: choice })
    expect(faultsOf((faults) => checkExportFormat({ format: 1 }, faults))).toEqual({ format: type('string') })
    expect(formatOf({ format: 'xlsx' }).format.key).toBe('csv')
  })

  it('leaves a body that is not an object to the next check', () => {
    expect(formatOf([1])).toMatchObject({ format: { key: 'csv' }, request: [1] })
    expect(faultsOf((faults) => checkExportFormat([1], faults))).toBeNull()
  })
})

describe('an Idempotency-Key', () => {
  it('identifies the request by its path and its body', () => {
    expect(checkIdempotencyKey('k', { a: 1 })).toEqual({ key: 'k', requestText: '{"a":1}' })
    expect(checkIdempotencyKey('k', { a: 1 }, '/metric_data.csv')).toEqual({
      key: 'k',
      requestText: '/metric_data.csv{"a":1}',
    })
    expect(checkIdempotencyKey('k', undefined, '/p')).toEqual({ key: 'k', requestText: '/p' })
  })

  it('is optional', () => {
    expect(checkIdempotencyKey(undefined, {})).toBeNull()
  })

  it.each(['!', '~', 'x'.repeat(255)])('can be %s', (key) => {
    expect(checkIdempotencyKey(key, {})?.key).toBe(key)
  })

  it.each(['', ' ', 'a b', 'é', 'x'.repeat(256), 'a\n', ['a', 'b']])('cannot be %j', (key) => {
    expect(errorsOf(() => checkIdempotencyKey(key, {}))).toEqual({
      'Idempotency-Key': ['This value should be 1 to 255 visible ASCII characters.'],
    })
  })
})

describe('POST /ingest/{test}', () => {
  const check = (headers: Record<string, string | string[] | undefined>, key: string | undefined = 'dns') =>
    checkIngestRequest(key, headers, catalog)

  it.each([
    ['text/csv', 'csv'],
    ['Text/CSV', 'csv'],
    ['text/csv; charset=utf-8', 'csv'],
    ['text/csv;charset="UTF-8"; header=present', 'csv'],
    ['text/csv; header=present', 'csv'],
    ['application/x-ndjson', 'ndjson'],
    ['application/ndjson ; charset=utf8', 'ndjson'],
    ['application/jsonl', 'ndjson'],
  ])('interprets %s as %s', (contentType, format) => {
    expect(check({ 'content-type': contentType })).toEqual({
      test: expect.objectContaining({ key: 'dns' }),
      format,
      encoding: 'identity',
    })
  })

  it.each([
    ['identity', 'identity'],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['zstd', 'zstd'],
  ])('decompresses %s as %s', (contentEncoding, encoding) => {
    expect(check({ 'content-type': 'text/csv', 'content-encoding': contentEncoding }).encoding).toBe(encoding)
  })

  it.each([
    [{}],
    [{ 'content-type': 'application/json' }],
    [{ 'content-type': 'text/csv; charset=latin1' }],
    [{ 'content-type': 'text/csv; Charset=utf-16' }],
    [{ 'content-type': 'text/csv', 'content-encoding': 'br' }],
    [{ 'content-type': 'text/csv', 'content-encoding': 'gzip, gzip' }],
  ])('refuses %j, and lists what it accepts', (headers) => {
    expect(codeOf(() => check(headers))).toBe('UNSUPPORTED_MEDIA_TYPE')
    expect(() => check(headers)).toThrow(
      'The request body must be application/x-ndjson or text/csv, UTF-8, plain or encoded by gzip or zstd.',
    )
  })

  it.each([
    [ingestLimits.bodyBytesMax, 'OK'],
    [ingestLimits.bodyBytesMax + 1, 'PAYLOAD_TOO_LARGE'],
  ])('answers a body of %d bytes with %s', (length, code) => {
    expect(codeOf(() => check({ 'content-type': 'text/csv', 'content-length': String(length) }))).toBe(code)
  })

  it.each(['nonsense', '', undefined])('answers 404 for the test %j, whatever else is wrong', (key) => {
    expect(codeOf(() => checkIngestRequest(key, {}, catalog))).toBe('NOT_FOUND')
  })
})

describe('a limit of a list', () => {
  const limit = (value: unknown): number => limitOf(value, new FieldFaults())
  const between = ['This value should be between 1 and 1000.']

  it.each([
    [undefined, 20],
    ['1', 1],
    ['1000', 1000],
    ['0007', 7],
  ])('of %j is %d', (value, expected) => {
    expect(limit(value)).toBe(expected)
    expect(faultsOf((faults) => limitOf(value, faults))).toBeNull()
  })

  it.each([
    ['0', between],
    ['1001', between],
    ['999999999', between],
    ['1234567890', type('integer')],
    ['1.5', type('integer')],
    ['-1', type('integer')],
    ['', type('integer')],
    [['1', '2'], type('integer')],
  ])('of %j is refused', (value, errors) => {
    expect(faultsOf((faults) => limitOf(value, faults))).toEqual({ limit: errors })
    expect(limit(value)).toBe(20)
  })

  it('is the only parameter of a plain list', () => {
    expect(checkListLimit({})).toBe(20)
    expect(checkListLimit({ limit: '3' })).toBe(3)
    expect(errorsOf(() => checkListLimit({ limit: 'x' }))).toEqual({ limit: type('integer') })
  })
})

it('accepts no parameters if the route has none', () => {
  expect(errorsOf(() => checkNoParameters({}))).toBeNull()
})

describe('a search for agents', () => {
  it.each([
    ['A-1', 'a1'],
    ['00:1F', '001f'],
    ['x', 'x'],
    ['aé', null],
  ])('by %s compares %s', (search, key) => {
    expect(checkAgentSearch({ search })).toEqual({ key, rowsMax: 20 })
  })

  const form = ['This value should have a letter or a digit, and at most 255 characters.']

  it.each([
    [{}, { search: missing }],
    [{ search: ['a', 'b'] }, { search: type('string') }],
    [{ search: '' }, { search: form }],
    [{ search: ':-' }, { search: form }],
    [{ search: 'a'.repeat(256) }, { search: form }],
    [{ search: 'a', limit: '0' }, { limit: ['This value should be between 1 and 1000.'] }],
  ])('of %j is refused', (query, errors) => {
    expect(errorsOf(() => checkAgentSearch(query))).toEqual(errors)
  })

  it('accepts 255 characters, and a limit', () => {
    expect(checkAgentSearch({ search: 'a'.repeat(255), limit: '5' })).toEqual({ key: 'a'.repeat(255), rowsMax: 5 })
  })
})

describe('GET /tests', () => {
  it.each([
    [{}, null],
    [{ kind: 'unit' }, 'unit'],
    [{ kind: 'mobile' }, 'mobile'],
  ])('with %j lists %s', (query, family) => {
    expect(checkTestListRequest(query)).toEqual({ family })
  })

  it.each(['Unit', 'whitebox', '', ['unit', 'mobile']])('refuses the kind %j', (kind) => {
    expect(errorsOf(() => checkTestListRequest({ kind }))).toEqual({ kind: choice })
  })
})

describe('values of a filter', () => {
  const visible = visibleTo(
    {
      panels: [],
      kinds: ['whitebox'],
      tests: [],
      metrics: ['httpget', 'httpget_retrans', 'dnsFail', 'ping'],
      customFields: [],
      erased: [],
    },
    catalog,
  )
  const check = (id: string | undefined, query = {}) => checkValuesRequest(id, query, visible)

  it('belong to the tests whose metrics have this filter, each test once', () => {
    expect(check('threads')).toEqual({
      dimension: expect.objectContaining({ id: 'threads' }),
      tests: ['httpget'],
      text: '',
      valuesMax: 20,
    })
    expect(check('target').tests).toEqual(['httpget', 'ping'])
    expect(check('isp').tests).toEqual(['httpget', 'ping', 'dns'])
  })

  it('are searched for the literal text', () => {
    expect(check('isp', { search: ' Ä-', limit: '7' })).toMatchObject({ text: ' Ä-', valuesMax: 7 })
    expect(check('isp', { search: 'a'.repeat(255) }).text).toHaveLength(255)
  })

  it.each(['carrier_name', 'nonsense', '', undefined])(
    'of a filter %j that the caller does not have are not found',
    (id) => {
      expect(codeOf(() => check(id, { search: '\u0000' }))).toBe('NOT_FOUND')
    },
  )

  const tooLong = ['This value should be at most 255 characters, none of them a control character.']

  it.each([
    [{ search: 'a'.repeat(256) }, { search: tooLong }],
    [{ search: 'a\u0000' }, { search: tooLong }],
    [{ search: ['a'] }, { search: type('string') }],
    [{ limit: 'x' }, { limit: type('integer') }],
  ])('requested with %j are refused', (query, errors) => {
    expect(errorsOf(() => check('isp', query))).toEqual(errors)
  })
})

it('distinguish a foreign filter from an unknown one only in a detail for the log', () => {
  try {
    checkValuesRequest(
      'nonsense',
      {},
      visibleTo({ panels: [], kinds: [], tests: 'all', metrics: 'all', customFields: [], erased: [] }, catalog),
    )
    expect.unreachable()
  } catch (error) {
    expect(error).toBeInstanceOf(Fault)
    expect(error).toMatchObject({ message: 'Not found', detail: 'no such filter that the caller can use' })
  }
})
