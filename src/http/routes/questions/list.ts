import { findQuestions } from '../../../engine/postgres/questions/questions.ts'
import { ok } from '../../../envelope/envelope.ts'
import type { Handle } from '../../define-route.ts'

export const listQuestions: Handle = async ({ stores }, caller) => ok(await findQuestions(caller, stores.postgres))
