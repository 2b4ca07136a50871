import { type TokenScope, tokenScopes } from '../../base/caller.ts'
import { peopleLimits } from '../../base/limits.ts'
import { choiceDetail } from '../choices.ts'
import { FieldFaults, isObject, isStorable, messages } from '../field-faults.ts'

export type TokenRequest = {
  readonly label: string
  readonly scopes: readonly TokenScope[]
  /** Null if the token never expires. */
  readonly expiresAt: Temporal.Instant | null
}

export const tooManyTokens = `There may be at most ${peopleLimits.tokensMax} tokens that work: revoke some first.`

export function checkTokenRequest(body: unknown, now: Temporal.Instant): TokenRequest {
  const faults = new FieldFaults()
  const fields = isObject(body) ? body : {}
  if (!isObject(body)) faults.add('body', messages.type('object'))
  faults.addUnexpected(fields, ['label', 'scopes', 'expires_at'])
  const request = {
    label: checkLabel(fields['label'], faults),
    scopes: checkScopes(fields['scopes'], faults),
    expiresAt: checkExpiry(fields['expires_at'], now, faults),
  }
  faults.throwIfAny()
  return request
}

export function checkLabel(value: unknown, faults: FieldFaults): string {
  const text = typeof value === 'string' ? value.trim() : ''
  if (value === undefined) faults.add('label', messages.missing)
  else if (typeof value !== 'string') faults.add('label', messages.type('string'))
  else if (text === '' || text.length > peopleLimits.labelCharactersMax || !isStorable(text)) {
    faults.add(
      'label',
      `This value should be 1 to ${peopleLimits.labelCharactersMax} characters, none a control character.`,
    )
  }
  return text
}

function checkScopes(value: unknown, faults: FieldFaults): TokenScope[] {
  if (value === undefined) faults.add('scopes', messages.missing)
  else if (!Array.isArray(value)) faults.add('scopes', messages.type('array'))
  else {
    value.forEach((scope: unknown, index) => {
      if (!tokenScopes.some((known) => known === scope)) {
        faults.add(`scopes[${index}]`, messages.choice, () => choiceDetail(scope, tokenScopes))
      }
    })
    const scopes = tokenScopes.filter((known) => value.includes(known))
    if (value.length === 0) faults.add('scopes', 'Choose at least one scope.')
    else if (new Set(value).size !== value.length) faults.add('scopes', 'Name each scope once.')
    return scopes
  }
  return []
}

/** Refuses a time in the past: the token or link would never work, and the user would find this out only later. */
export function checkExpiry(value: unknown, now: Temporal.Instant, faults: FieldFaults): Temporal.Instant | null {
  if (value === undefined || value === null) return null
  const instant = typeof value === 'string' ? instantOf(value) : null
  if (instant === null) faults.add('expires_at', 'This value should be a time such as 2027-01-31T00:00:00Z.')
  else if (Temporal.Instant.compare(instant, now) <= 0) faults.add('expires_at', 'This value should be in the future.')
  else if (isTooFar(instant)) faults.add('expires_at', 'This value should be before the year 10000.')
  return instant
}

function instantOf(text: string): Temporal.Instant | null {
  try {
    return Temporal.Instant.from(text)
  } catch {
    return null
  }
}

const year10000 = Temporal.Instant.from('+010000-01-01T00:00:00Z')

/**
 * Returns true if the year is 10000 or later, because PostgreSQL writes these times in another format. PostgreSQL rounds to
 * microseconds, and the rounded time can be in that year.
 */
export const isTooFar = (expiry: Temporal.Instant): boolean =>
  Temporal.Instant.compare(expiry.round('microsecond'), year10000) >= 0
