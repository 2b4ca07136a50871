import { json, responseFormats, type ResponseFormat } from '../catalog/response-formats.ts'
import { FieldFaults, isAbsent, isObject } from './field-faults.ts'

/** A request for a response, split into its format and a body with all other fields. */
type Formatted = { readonly format: ResponseFormat; readonly request: unknown }

type Query = Readonly<Record<string, unknown>>

/**
 * Reads `format` from the query string and from the body. Without either, `Accept` decides. The query string may have no other
 * parameter.
 */
export function checkFormatOf(body: unknown, query: Query, accept: string | undefined): Formatted {
  const faults = new FieldFaults()
  faults.addUnexpected(query, ['format'])
  const { format: ofBody, ...request } = isObject(body) ? body : {}
  const ofQuery = query['format']
  for (const key of [ofBody, ofQuery]) {
    if (!isAbsent(key) && formatOf(key) === undefined) faults.addChoice('format', key, () => keys)
  }
  if (!isAbsent(ofBody) && !isAbsent(ofQuery) && ofBody !== ofQuery) {
    faults.add('format', 'The formats in the body and in the query string differ.')
  }
  faults.throwIfAny()
  return {
    format: formatOf(isAbsent(ofQuery) ? ofBody : ofQuery) ?? acceptedFormat(accept),
    request: isObject(body) ? request : body,
  }
}

/** Refuses a request for `meta`, or for totals, which are in `meta`, in a format that has no place for it. */
export function checkFormatCanHave(
  { key, hasMeta }: ResponseFormat,
  { include, totals }: { readonly include: readonly string[]; readonly totals?: true },
): void {
  const asked = [...(include.includes('meta') ? ['meta'] : []), ...(totals === true ? ['totals'] : [])]
  if (hasMeta || asked.length === 0) return
  const faults = new FieldFaults()
  const choices = responseFormats.filter((one) => one.hasMeta).map((one) => one.key)
  for (const name of asked) {
    faults.add('format', `A response in the format "${key}" cannot contain "${name}".`, () => ({ choices }))
  }
  faults.throwIfAny()
}

const keys = responseFormats.map(({ key }) => key)

const formatOf = (key: unknown): ResponseFormat | undefined => responseFormats.find((one) => one.key === key)

/**
 * Returns the format with the highest weight in `Accept`. Only the exact media types count, so browsers and programs that
 * accept everything get JSON.
 */
export function acceptedFormat(accept = ''): ResponseFormat {
  const weighted = accept.split(',').flatMap((item) => {
    const [type = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase())
    const format = responseFormats.find(({ mediaType }) => mediaType === type)
    const weight = parameters.find((one) => one.startsWith('q='))?.slice(2)
    return format === undefined ? [] : [{ format, weight: weight === undefined ? 1 : Number(weight) || 0 }]
  })
  const [best] = weighted.filter(({ weight }) => weight > 0).toSorted((one, other) => other.weight - one.weight)
  return best?.format ?? json
}
