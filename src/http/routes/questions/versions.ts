import { findVersions } from '../../../engine/postgres/questions/questions.ts'
import { ok } from '../../../envelope/envelope.ts'
import type { Handle } from '../../define-route.ts'
import { keyIn, noSuchQuestion } from './read.ts'

export const listVersions: Handle = async ({ stores }, caller, { params }) => {
  const versions = await findVersions(caller, stores.postgres, keyIn(params))
  if (versions.length === 0) throw noSuchQuestion()
  return ok(versions)
}
