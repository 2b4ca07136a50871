import { faultTable, type FaultCode } from '../../base/fault.ts'
import { failureHeaders, rateLimitHeaders, requestIdHeader } from './answer-headers.ts'
import type { DocumentedRoute, Operation } from './operation.ts'
import { choicesMax } from '../../check/choices.ts'
import { detailsMax } from '../../check/field-faults.ts'
import { integer, listOf, record, reference, text, type Schema } from './schema.ts'
import { warnings } from './warning-schema.ts'

export function success(
  { method, isCounted = false }: DocumentedRoute,
  { data, warns = false, headers: own = {}, failsAlways = false, redirects = false }: Operation,
): Schema {
  if (failsAlways) return {}
  if (redirects) {
    const headers = { ...requestIdHeader, Location: { description: 'Where to.', schema: { type: 'string' } } }
    return { 302: { description: 'To be followed by a browser.', headers } }
  }
  const fields = { code: text('Always `OK`.', { const: 'OK' }), message: text('For people.') }
  // A change has data only when it was tried, not made.
  const optional = [...(method === 'PUT' ? ['data'] : []), 'warnings']
  const given = { ...fields, ...(data === null ? {} : { data }), ...(warns ? { warnings } : {}) }
  const schema = record(given, { optional })
  return {
    200: {
      description: 'Success.',
      headers: { ...requestIdHeader, ...(isCounted ? rateLimitHeaders : {}), ...own },
      content: { 'application/json': { schema } },
    },
  }
}

/** Those any route can answer. */
const anywhere = ['BAD_REQUEST', 'METHOD_NOT_ALLOWED', 'REQUEST_TIMEOUT', 'HEADERS_TOO_LARGE', 'UNKNOWN_ERROR'] as const
const withToken = ['ACCESS_DENIED', 'NOT_FOUND', 'TOO_MANY_REQUESTS', 'SERVICE_UNAVAILABLE'] as const

/** By status; where two codes share one, the answer is either. */
export function failures({ security }: DocumentedRoute, own: readonly FaultCode[]): Schema {
  const byStatus = new Map<number, FaultCode[]>()
  for (const code of new Set<FaultCode>([...anywhere, ...(security === null ? [] : withToken), ...own])) {
    const { status } = faultTable[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return Object.fromEntries(
    [...byStatus].map(([status, [first = 'UNKNOWN_ERROR', ...others]]) => [
      status,
      others.length === 0 ? { $ref: `#/components/responses/${first}` } : eitherResponse([first, ...others]),
    ]),
  )
}

const fieldDetail = record(
  {
    choices: listOf(
      { type: 'string' },
      {
        description: `Valid values you may use; where there are more than ${choicesMax}, the nearest.`,
        maxItems: choicesMax,
      },
    ),
    choicesTotal: integer('How many there are, where not all are listed.'),
    reason: text('Why the value is not valid.'),
  },
  { optional: ['choices', 'choicesTotal', 'reason'] },
)

export const failureSchemas: Record<string, Schema> = {
  Failure: record({ code: text('See the list of errors.'), message: text('For people: what to change.') }),
  ValidationFailure: record(
    {
      code: text('Always `VALIDATION_FAIL`.', { const: 'VALIDATION_FAIL' }),
      message: text('For people.'),
      errors: {
        type: 'object',
        description: 'Path of a field → what is wrong with it.',
        additionalProperties: listOf({ type: 'string' }),
      },
      details: {
        type: 'object',
        description: `Path of a field in \`errors\` → what helps to correct it; of the first ${detailsMax} faults.`,
        additionalProperties: fieldDetail,
      },
    },
    { optional: ['details'] },
  ),
}

const schemaOf = (code: string): Schema => reference(code === 'VALIDATION_FAIL' ? 'ValidationFailure' : 'Failure')

const headersOf = (codes: readonly string[]): Schema =>
  Object.fromEntries([requestIdHeader, ...codes.map((code) => failureHeaders[code] ?? {})].flatMap(Object.entries))

const faultResponse = (code: string, description: string): Schema => ({
  description,
  headers: headersOf([code]),
  content: { 'application/json': { schema: schemaOf(code) } },
})

const eitherResponse = (codes: readonly FaultCode[]): Schema => ({
  description: codes.map((code) => faultTable[code].message).join(' Or: '),
  headers: headersOf(codes),
  content: { 'application/json': { schema: { anyOf: codes.map(schemaOf) } } },
})

/** What a row of the table does not say. */
const notes: Readonly<Record<string, string>> = {
  PAYLOAD_TOO_LARGE: ' The message names the limit.',
}

/** One for each row of the table of errors. */
export const failureResponses: Schema = Object.fromEntries(
  Object.entries(faultTable).map(([code, { message }]) => [
    code,
    faultResponse(code, `${message}${notes[code] ?? ''}`),
  ]),
)
