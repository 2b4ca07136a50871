import type { Caller } from '../../../base/caller.ts'
import { Fault } from '../../../base/fault.ts'
import { isQuestionKey } from '../../../check/question/question.ts'
import { checkVersion } from '../../../check/question/run-query.ts'
import { readQuestion, type Question } from '../../../engine/postgres/questions/questions.ts'
import type { Postgres } from '../../../engine/postgres/postgres.ts'
import { ok } from '../../../envelope/envelope.ts'
import type { Handle } from '../../define-route.ts'

type Asked = Pick<Parameters<Handle>[2], 'params' | 'query'>

export const readQuestionVersion: Handle = async ({ stores }, caller, given) =>
  ok(await foundQuestion(caller, stores.postgres, given))

/** Reads the question and the version that a request names. Throws a 404 if the organisation does not have it. */
export async function foundQuestion(caller: Caller, postgres: Postgres, { params, query }: Asked): Promise<Question> {
  const question = await readQuestion(caller, postgres, keyIn(params), checkVersion(query))
  if (question === null) throw noSuchQuestion()
  return question
}

/** A text that no question can have as its key may contain characters that PostgreSQL cannot store. */
export function keyIn({ key = '' }: Asked['params']): string {
  if (!isQuestionKey(key)) throw noSuchQuestion()
  return key
}

export const noSuchQuestion = (): Fault =>
  new Fault('NOT_FOUND', { detail: 'no question or version of the caller’s organisation' })
