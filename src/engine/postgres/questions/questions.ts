import type { ClientBase } from 'pg'
import type { Caller, Scope } from '../../../base/caller.ts'
import { parseJson } from '../../../base/parse-json.ts'
import { validationFail } from '../../../base/fault.ts'
import { isObject } from '../../../check/field-faults.ts'
import { jsonBounds } from '../../../check/json.ts'
import { questionLimits, type QuestionContent } from '../../../check/question/content.ts'
import { readAsTenant } from '../as-tenant.ts'
import { findRows, type Postgres, runNamed } from '../postgres.ts'
import { lockQuestions, nameOfMaker, type Maker } from './makers.ts'

/** One version of a question. */
export type Question = QuestionContent & { readonly key: string; readonly version: number } & Change

type ListedQuestion = Omit<Question, 'request' | 'parameters' | 'chart'>

type QuestionVersion = { readonly version: number; readonly name: string } & Change

/** When and by whom a version was saved. */
type Change = { readonly changed_at: Date; readonly changed_by: Maker }

type ChangeRow = { changed_at: Date; person: string | null; label: string | null }

const changeColumns = 'v.changed_at, users.name AS person, tokens.label'

/** `v` is the version. Only the token of a session belongs to a person who made the change. */
const changer = `
  LEFT JOIN tokens ON tokens.id = v.token_id AND tokens.organisation_id = $1
  LEFT JOIN users ON users.id = tokens.created_by AND tokens.of_session AND users.organisation_id = $1`

const questionOfTenant = `questions q JOIN question_versions v ON v.question_id = q.id AND v.organisation_id = $1`

const statements = {
  find: {
    name: 'find-questions',
    text: `SELECT q.key, v.version, v.name, v.description, v.tags, ${changeColumns}
           FROM ${questionOfTenant} AND v.version = q.version ${changer}
           WHERE q.organisation_id = $1 ORDER BY q.key COLLATE "C"`,
  },
  read: {
    name: 'read-question',
    text: `SELECT q.key, v.version, v.name, v.description, v.tags, v.request, v.parameters, v.chart, ${changeColumns}
           FROM ${questionOfTenant} AND v.version = coalesce($3, q.version) ${changer}
           WHERE q.organisation_id = $1 AND q.key = $2`,
  },
  versions: {
    name: 'find-question-versions',
    text: `SELECT v.version, v.name, ${changeColumns} FROM ${questionOfTenant} ${changer}
           WHERE q.organisation_id = $1 AND q.key = $2 ORDER BY v.version DESC`,
  },
  current: {
    name: 'compare-question',
    text: `SELECT (SELECT count(*)::integer FROM questions WHERE organisation_id = $1) AS questions, current.version,
             current.same
           FROM (VALUES (1)) AS one LEFT JOIN (
             SELECT v.version, (v.name, v.description, v.request, v.parameters, v.tags) = ($3, $4, $5, $6::text[], $7::text[])
               AND v.chart IS NOT DISTINCT FROM $8::jsonb AS same
             FROM ${questionOfTenant} AND v.version = q.version WHERE q.organisation_id = $1 AND q.key = $2
           ) AS current ON true`,
  },
  save: {
    name: 'save-question',
    text: `WITH saved AS (
             INSERT INTO questions (organisation_id, key, version) VALUES ($1, $2, 1)
             ON CONFLICT (organisation_id, key) DO UPDATE SET version = questions.version + 1 RETURNING id, version
           )
           INSERT INTO question_versions (question_id, version, organisation_id, name, description, request, parameters, tags,
             chart, token_id)
           SELECT id, version, $1, $3, $4, $5, $6, $7, $8, $9 FROM saved`,
  },
  remove: {
    name: 'remove-question',
    text: 'DELETE FROM questions WHERE organisation_id = $1 AND key = $2 RETURNING id',
  },
}

/** Finds the current version of each question of the organisation, in the order of the keys. */
export async function findQuestions(scope: Scope, postgres: Postgres): Promise<ListedQuestion[]> {
  type Row = ChangeRow & Pick<Question, 'key' | 'version' | 'name' | 'description' | 'tags'>
  const rows = await readAsTenant(scope, postgres, (client) =>
    findRows<Row>(client, statements.find, [scope.organisationId]),
  )
  return rows.map(withChange)
}

/** Returns null if the organisation does not have this question or this version. The version null is the current one. */
export async function readQuestion(
  scope: Scope,
  postgres: Postgres,
  key: string,
  version: number | null,
): Promise<Question | null> {
  type Row = ChangeRow & Omit<Question, keyof Change | 'request'> & { request: string }
  const [row] = await readAsTenant(scope, postgres, (client) =>
    findRows<Row>(client, statements.read, [scope.organisationId, key, version]),
  )
  if (row === undefined) return null
  const request = parseJson(row.request, jsonBounds)
  if (!isObject(request)) throw new Error('the stored request of a question is no object')
  return { ...withChange(row), request }
}

/** Finds the versions of a question, the newest first. The list is empty if the organisation does not have the question. */
export async function findVersions(scope: Scope, postgres: Postgres, key: string): Promise<QuestionVersion[]> {
  type Row = ChangeRow & Pick<QuestionVersion, 'version' | 'name'>
  const rows = await readAsTenant(scope, postgres, (client) =>
    findRows<Row>(client, statements.versions, [scope.organisationId, key]),
  )
  return rows.map(withChange)
}

const withChange = <Row extends ChangeRow>({ person, label, ...row }: Row) => ({
  ...row,
  changed_by: nameOfMaker(person, label),
})

/**
 * Saves a question in the caller's transaction and returns the number of its current version. The number stays the same if
 * nothing has changed.
 */
export async function saveQuestion(
  caller: Caller,
  client: ClientBase,
  key: string,
  { name, description, request, parameters, chart, tags }: QuestionContent,
): Promise<number> {
  const chartText = chart === null ? null : JSON.stringify(chart)
  const content = [name, description, JSON.stringify(request), parameters, tags, chartText]
  const values = [caller.organisationId, key, ...content]
  await runNamed(client, lockQuestions, [caller.organisationId])
  type Current = { questions: number; version: number | null; same: boolean | null }
  const [current] = await findRows<Current>(client, statements.current, values)
  if (current === undefined) throw new Error('a SELECT from one row gave none')
  const { questions, version, same } = current
  if (version !== null && same === true) return version
  if (version === null && questions >= questionLimits.questionsMax) throw validationFail({ body: [tooManyQuestions] })
  if (version !== null && version >= questionLimits.versionsMax) throw validationFail({ body: [tooManyVersions] })
  await runNamed(client, statements.save, [...values, caller.tokenId])
  return (version ?? 0) + 1
}

const tooManyQuestions = `There may be at most ${questionLimits.questionsMax} questions: delete some first.`
const tooManyVersions = `A question may have at most ${questionLimits.versionsMax} versions: save it with another key.`

/** Deletes a question with all its versions. Returns false if the organisation does not have it. */
export async function removeQuestion(scope: Scope, client: ClientBase, key: string): Promise<boolean> {
  const rows = await findRows(client, statements.remove, [scope.organisationId, key])
  return rows.length > 0
}
