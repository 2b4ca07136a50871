import { randomBytes } from 'node:crypto'
import type { TokenScope } from '../../../base/caller.ts'
import { peopleLimits } from '../../../base/limits.ts'
import type { Identity, Person, Role, RequestOrigin } from '../../../base/person.ts'
import { hashSecret, hashToken, sessionSecretBytes, sessionToken, visiblePart } from '../../../base/token.ts'
import { findRows, runNamed, type Postgres } from '../postgres.ts'

export type SessionLimits = { readonly hours: number; readonly idleMinutes: number }

const begin = {
  name: 'begin-session',
  text: 'SELECT begin_session($1, $2, $3, $4, $5, $6::interval, $7::interval, $8, $9) AS session',
}
const read = { name: 'read-session', text: 'SELECT * FROM read_session($1, $2::interval)' }
const renew = {
  name: 'renew-session-token',
  text: 'SELECT expires_at, scopes FROM renew_session_token($1, $2::interval)',
}
const end = { name: 'end-session', text: 'SELECT end_sessions($1, $2, NULL)' }
const recordEvent = { name: 'record-people-event', text: 'SELECT record_people_event($1, $2, NULL, $3, $4)' }

const tokenLifetime = `${peopleLimits.sessionTokenMs} milliseconds`

/**
 * Begins a session and returns its secret. Returns null if the user was disabled or got another password after the password was
 * checked.
 */
export async function beginSession(
  { pool }: Postgres,
  { userId, provenHash }: Identity,
  { hours }: SessionLimits,
  { requestId, address }: RequestOrigin,
): Promise<string | null> {
  const secret = randomBytes(sessionSecretBytes).toString('base64url')
  const token = sessionToken(secret)
  const hashes = [hashSecret(secret), hashToken(token), visiblePart(token)]
  const values = [userId, provenHash, ...hashes, `${hours} hours`, tokenLifetime, requestId, address]
  const [row] = await findRows<{ session: number | null }>(pool, begin, values)
  return typeof row?.session === 'number' ? secret : null
}

/** Returns the signed-in user; null if the session does not exist or has ended. */
export const readSession = (postgres: Postgres, secret: string, sessionLimits: SessionLimits): Promise<Person | null> =>
  readHashed(postgres, hashSecret(secret), sessionLimits)

async function readHashed({ pool }: Postgres, hash: Buffer, { idleMinutes }: SessionLimits): Promise<Person | null> {
  type Row = {
    session_id: number
    session_expires_at: Date
    user_id: number
    user_name: string
    user_role: Role
    organisation_id: number
    organisation_key: string
    organisation_name: string
  }
  const [row] = await findRows<Row>(pool, read, [hash, `${idleMinutes} minutes`])
  if (row === undefined) return null
  return {
    organisationId: row.organisation_id,
    organisationKey: row.organisation_key,
    organisationName: row.organisation_name,
    userId: row.user_id,
    userName: row.user_name,
    role: row.user_role,
    sessionId: row.session_id,
    sessionExpiresAt: row.session_expires_at,
  }
}

/** Extends the lifetime of the session's token. Returns null if the session has just ended. */
export async function renewSessionToken(
  { sessionId }: Person,
  { pool }: Postgres,
): Promise<{ expiresAt: Date; scopes: TokenScope[] } | null> {
  const [row] = await findRows<{ expires_at: Date; scopes: TokenScope[] }>(pool, renew, [sessionId, tokenLifetime])
  return row === undefined ? null : { expiresAt: row.expires_at, scopes: row.scopes }
}

export async function endSession(person: Person, postgres: Postgres, origin: RequestOrigin): Promise<void> {
  await runNamed(postgres.pool, end, [person.userId, person.sessionId])
  await recordPeopleEvent(postgres, person.userId, 'signed-out', origin)
}

/**
 * Ends the previous session of a browser. The browser's cookie is about to be replaced, and without the old cookie no user can
 * sign out of that session.
 */
export async function endFormerSession(
  postgres: Postgres,
  hash: Buffer | null,
  sessionLimits: SessionLimits,
  origin: RequestOrigin,
): Promise<void> {
  const person = hash === null ? null : await readHashed(postgres, hash, sessionLimits)
  if (person !== null) await endSession(person, postgres, origin)
}

export async function recordPeopleEvent(
  { pool }: Postgres,
  userId: number,
  kind: 'refused' | 'signed-out',
  { requestId, address }: RequestOrigin,
): Promise<void> {
  await runNamed(pool, recordEvent, [userId, kind, requestId, address])
}
