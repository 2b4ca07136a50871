import { randomBytes } from 'node:crypto'
import type { ClientBase } from 'pg'
import type { Caller, Scope } from '../../../base/caller.ts'
import { validationFail } from '../../../base/fault.ts'
import { hashPassword, saltBytes } from '../../../base/password.ts'
import { formatLinkSecret, hashToken, sameHash, tokenEntropyBytes, visiblePart } from '../../../base/token.ts'
import { linkLimits, tooManyLinks, type LinkRequest } from '../../../check/question/link-request.ts'
import { readAsTenant } from '../as-tenant.ts'
import { findRows, runNamed, type Postgres } from '../postgres.ts'
import { lockQuestions, nameOfMaker, type Maker } from './makers.ts'

const statements = {
  // The join shows also a question without links.
  find: {
    name: 'find-question-links',
    text: `SELECT l.id, l.label, l.visible_part, l.has_password, l.created_at, l.expires_at, l.uses::float8 AS uses, l.last_used_at,
             users.name AS person, tokens.label AS token
           FROM questions q
           LEFT JOIN question_links l ON l.question_id = q.id AND l.organisation_id = $1
           LEFT JOIN tokens ON tokens.id = l.token_id AND tokens.organisation_id = $1
           LEFT JOIN users ON users.id = tokens.created_by AND tokens.of_session AND users.organisation_id = $1
           WHERE q.organisation_id = $1 AND q.key = $2 ORDER BY l.id DESC`,
  },
  count: {
    name: 'count-question-links',
    text: `SELECT q.id, (SELECT count(*)::integer FROM question_links l WHERE l.question_id = q.id AND l.organisation_id = $1) AS links
           FROM questions q WHERE q.organisation_id = $1 AND q.key = $2`,
  },
  create: {
    name: 'create-question-link',
    text: `INSERT INTO question_links (organisation_id, question_id, label, visible_part, sha256, password_hash, expires_at, token_id)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`,
  },
  remove: {
    name: 'remove-question-link',
    text: `DELETE FROM question_links l USING questions q
           WHERE l.organisation_id = $1 AND l.id = $3 AND q.id = l.question_id AND q.organisation_id = $1 AND q.key = $2
           RETURNING l.id`,
  },
  open: {
    name: 'open-question-link',
    text: `SELECT id, sha256, question_key, password_hash, organisation_id, organisation_key, frame_origins, token_id, wait_ms
           FROM open_question_link($1, $2, $3)`,
  },
  countUse: { name: 'count-question-link-use', text: 'SELECT count_question_link_use($1)' },
}

type QuestionLink = {
  readonly id: number
  readonly label: string
  readonly visible_part: string
  readonly has_password: boolean
  readonly created_at: Date
  readonly created_by: Maker
  readonly expires_at: Date | null
  readonly uses: number
  readonly last_used_at: Date | null
}

/** Finds the links of a question, the newest first. Returns null if the organisation does not have the question. */
export async function findLinks(scope: Scope, postgres: Postgres, key: string): Promise<QuestionLink[] | null> {
  type Row = Omit<QuestionLink, 'created_by' | 'id'> & {
    id: number | null
    person: string | null
    token: string | null
  }
  const rows = await readAsTenant(scope, postgres, (client) =>
    findRows<Row>(client, statements.find, [scope.organisationId, key]),
  )
  if (rows.length === 0) return null
  return rows.flatMap(({ id, person, token, ...row }) =>
    id === null ? [] : [{ id, ...row, created_by: nameOfMaker(person, token) }],
  )
}

/** A link that was just created. This is the only time that its secret is available. */
export type NewLink = { readonly id: number; readonly secret: string }

/** The hash of a password takes long, so it is computed before the transaction. */
export const hashLinkPassword = ({ password }: LinkRequest): Promise<string> | null =>
  password === null ? null : hashPassword(password, randomBytes(saltBytes))

/** Creates a link in the caller's transaction. Returns null if the organisation does not have the question. */
export async function createLink(
  caller: Caller,
  client: ClientBase,
  key: string,
  { label, expiresAt }: LinkRequest,
  passwordHash: string | null,
): Promise<NewLink | null> {
  const { organisationId, tokenId } = caller
  await runNamed(client, lockQuestions, [organisationId])
  type Counted = { id: number; links: number }
  const [question] = await findRows<Counted>(client, statements.count, [organisationId, key])
  if (question === undefined) return null
  if (question.links >= linkLimits.linksMax) throw validationFail({ body: [tooManyLinks] })
  const secret = formatLinkSecret(randomBytes(tokenEntropyBytes))
  const shown = [label, visiblePart(secret), hashToken(secret), passwordHash, expiresAt?.toString() ?? null]
  const values = [organisationId, question.id, ...shown, tokenId]
  const [created] = await findRows<{ id: number }>(client, statements.create, values)
  if (created === undefined) throw new Error('an INSERT returned no row')
  return { id: created.id, secret }
}

/** Revokes a link, from the next request on. Returns false if the question does not have it. */
export async function removeLink(scope: Scope, client: ClientBase, key: string, id: number): Promise<boolean> {
  const rows = await findRows(client, statements.remove, [scope.organisationId, key, id])
  return rows.length > 0
}

/** A link that works now. Its question runs as the token that made it, which may only read data. */
export type OpenLink = Caller & {
  readonly id: number
  readonly questionKey: string
  readonly passwordHash: string | null
  readonly frameOrigins: readonly string[]
  /** 0, or the milliseconds until the link may be used again. */
  readonly waitMs: number
}

/** Returns null if no link with this secret works: for every reason the same, so that nothing distinguishes them. */
export async function openLink({ pool }: Postgres, secret: string): Promise<OpenLink | null> {
  type Row = {
    id: number
    sha256: Buffer
    question_key: string
    password_hash: string | null
    organisation_id: number
    organisation_key: string
    frame_origins: string[]
    token_id: number
    wait_ms: number
  }
  const hash = hashToken(secret)
  const { requestsBurst, requestsPerSecond } = linkLimits
  const [row] = await findRows<Row>(pool, statements.open, [hash, requestsBurst, requestsPerSecond])
  if (row === undefined || !sameHash(row.sha256, hash)) return null
  return {
    id: row.id,
    questionKey: row.question_key,
    passwordHash: row.password_hash,
    frameOrigins: row.frame_origins,
    waitMs: row.wait_ms,
    organisationId: row.organisation_id,
    organisationKey: row.organisation_key,
    tokenId: row.token_id,
    tokenScopes: ['data:read'],
  }
}

export const countLinkUse = ({ pool }: Postgres, { id }: OpenLink): Promise<void> =>
  runNamed(pool, statements.countUse, [id])
