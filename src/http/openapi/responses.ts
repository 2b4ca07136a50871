import { faultTable, type FaultCode } from '../../base/fault.ts'
import { responseFormats } from '../../catalog/response-formats.ts'
import { failureHeaders, rateLimitHeaders, requestIdHeader } from './answer-headers.ts'
import type { DocumentedRoute, Operation } from './operation.ts'
import { choicesMax } from '../../check/choices.ts'
import { detailsMax } from '../../check/field-faults.ts'
import { integer, listOf, record, reference, text, type Schema } from './schema.ts'
import { warnings } from './warning-schema.ts'

export function success(
  { isCounted = false }: DocumentedRoute,
  {
    data,
    dataIsOptional = false,
    warns = false,
    hasMeta = false,
    meta,
    headers: own = {},
    hasFormats = false,
    contents,
    ...operation
  }: Operation,
): Schema {
  const { failsAlways = false, redirects = false } = operation
  if (failsAlways) return {}
  if (redirects) {
    const headers = {
      ...requestIdHeader,
      Location: { description: 'Target of the redirect.', schema: { type: 'string' } },
    }
    return { 302: { description: 'A redirect for browsers.', headers } }
  }
  const fields = { code: text('Always `OK`.', { const: 'OK' }), message: text('Human-readable text.') }
  const optional = [...(dataIsOptional ? ['data'] : []), 'meta', 'warnings']
  const given = {
    ...fields,
    ...(data === null ? {} : { data }),
    ...(hasMeta || meta !== undefined ? { meta: meta ?? reference('Meta') } : {}),
    ...(warns ? { warnings } : {}),
  }
  const schema = record(given, { optional })
  return {
    200: {
      description: 'Success.',
      headers: { ...requestIdHeader, ...(isCounted ? rateLimitHeaders : {}), ...own },
      content:
        contents === undefined
          ? { 'application/json': { schema }, ...(hasFormats ? flatContent : {}) }
          : textContents(contents),
    },
  }
}

const textContents = (descriptions: Readonly<Record<string, string>>): Schema =>
  Object.fromEntries(
    Object.entries(descriptions).map(([type, about]) => [type, { schema: { type: 'string', description: about } }]),
  )

/** The formats without an envelope. */
const flatContent = textContents(
  Object.fromEntries(
    responseFormats.filter(({ key }) => key !== 'json').map(({ mediaType, about }) => [mediaType, about]),
  ),
)

/** Error codes that every route can respond with. */
const anywhere = ['BAD_REQUEST', 'METHOD_NOT_ALLOWED', 'REQUEST_TIMEOUT', 'HEADERS_TOO_LARGE', 'UNKNOWN_ERROR'] as const
const withToken = ['ACCESS_DENIED', 'NOT_FOUND', 'TOO_MANY_REQUESTS', 'SERVICE_UNAVAILABLE'] as const

const isWithToken = (security: readonly Schema[]): boolean =>
  security.some((one) => !('linkPassword' in one) && Object.keys(one).length > 0)

/** Describes the error responses by HTTP status. If two codes share a status, the schema allows both. */
export function failures({ security }: DocumentedRoute, own: readonly FaultCode[]): Schema {
  const byStatus = new Map<number, FaultCode[]>()
  for (const code of new Set<FaultCode>([...anywhere, ...(isWithToken(security) ? withToken : []), ...own])) {
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
        description: `Valid values that you may use. If there are more than ${choicesMax}, the list has the values most similar to the given value.`,
        maxItems: choicesMax,
      },
    ),
    choicesTotal: integer('Number of valid values. Present if `choices` does not list all of them.'),
    reason: text('Reason why the value is not valid.'),
  },
  { optional: ['choices', 'choicesTotal', 'reason'] },
)

export const failureSchemas: Record<string, Schema> = {
  Failure: record({
    code: text('Code of the error, for programs.'),
    message: text('Human-readable text that says what to change.'),
  }),
  ValidationFailure: record(
    {
      code: text('Always `VALIDATION_FAIL`.', { const: 'VALIDATION_FAIL' }),
      message: text('Human-readable text.'),
      errors: {
        type: 'object',
        description: 'Messages about the fields of the request, by the path of the field.',
        additionalProperties: listOf({ type: 'string' }),
      },
      details: {
        type: 'object',
        description: `Information that helps to correct a field, by the path of the field in \`errors\`. Only the first ${detailsMax} faults have an entry.`,
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

/** Text that is added to messages of the error table. */
const notes: Readonly<Record<string, string>> = {
  PAYLOAD_TOO_LARGE: ' The message names the limit.',
}

/** One OpenAPI response for each row of the error table. */
export const failureResponses: Schema = Object.fromEntries(
  Object.entries(faultTable).map(([code, { message }]) => [
    code,
    faultResponse(code, `${message}${notes[code] ?? ''}`),
  ]),
)
