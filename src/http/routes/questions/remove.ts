import { checkIdempotencyKey } from '../../../check/idempotency-key.ts'
import { checkNoParameters } from '../../../check/query-parameters.ts'
import { changeAsTenant } from '../../../engine/postgres/as-tenant.ts'
import { once } from '../../../engine/postgres/metadata/idempotency.ts'
import { removeQuestion } from '../../../engine/postgres/questions/questions.ts'
import { ok } from '../../../envelope/envelope.ts'
import type { Handle } from '../../define-route.ts'
import { keyIn, noSuchQuestion } from './read.ts'

export const deleteQuestion: Handle = async ({ stores, inChangeSlot }, caller, given) => {
  const { query, params, headers, deadline, admission } = given
  checkNoParameters(query)
  const key = keyIn(params)
  const idempotencyKey = checkIdempotencyKey(headers['idempotency-key'], undefined, `DELETE /questions/${key}`)
  admission.releaseSlot()
  const { status } = await inChangeSlot(caller, deadline.signal, () =>
    changeAsTenant(caller, stores.postgres, (client) =>
      once(caller, client, idempotencyKey, async () => {
        const isRemoved = await removeQuestion(caller, client, key)
        return { status: isRemoved ? 200 : 404, body: null }
      }),
    ),
  )
  if (status === 404) throw noSuchQuestion()
  return ok()
}
