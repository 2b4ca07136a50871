import { peopleLimits } from '../../base/limits.ts'
import { FieldFaults, isObject, messages } from '../field-faults.ts'
import { checkExpiry, checkLabel } from '../people/token-request.ts'

/** A share link to create. */
export type LinkRequest = {
  readonly label: string
  /** Null if the link never expires. */
  readonly expiresAt: Temporal.Instant | null
  /** Null if the link needs no password. */
  readonly password: string | null
}

export const linkLimits = {
  /** Links of one question, including expired ones that are not purged yet. `GET /questions/{key}/links` lists all of them. */
  linksMax: 100,
  /** How long lists show an expired link. */
  expiredDays: 30,
  /**
   * Requests of one link over all instances. Ten people who open a link at once, each with a page and a file, get their
   * answers at once; a page of a website with many readers should keep a copy of the picture.
   */
  requestsBurst: 30,
  requestsPerSecond: 5,
  /** Wrong passwords of one link from one network, and from all networks. They refill within `signInRefillMs`. */
  passwordsByNetworkMax: 10,
  passwordsMax: 100,
} as const

export const tooManyLinks = `A question may have at most ${linkLimits.linksMax} links: revoke some first.`

export function checkLinkRequest(body: unknown, now: Temporal.Instant): LinkRequest {
  const faults = new FieldFaults()
  const fields = isObject(body) ? body : {}
  if (!isObject(body)) faults.add('body', messages.type('object'))
  faults.addUnexpected(fields, ['label', 'expires_at', 'password'])
  const request = {
    label: checkLabel(fields['label'], faults),
    expiresAt: checkExpiry(fields['expires_at'], now, faults),
    password: checkPassword(fields['password'], faults),
  }
  faults.throwIfAny()
  return request
}

function checkPassword(value: unknown, faults: FieldFaults): string | null {
  const { passwordCharactersMin: min, credentialCharactersMax: max } = peopleLimits
  if (value === undefined || value === null) return null
  if (typeof value !== 'string') faults.add('password', messages.type('string'))
  else if (value.length < min || value.length > max) {
    faults.add('password', `This value should be ${min} to ${max} characters.`)
  } else return value
  return null
}

/** Numbers of links that PostgreSQL can have. */
export const linkId = /^[1-9]\d{0,8}$/
