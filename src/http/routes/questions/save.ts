import { validationFail } from '../../../base/fault.ts'
import { checkIdempotencyKey } from '../../../check/idempotency-key.ts'
import { checkNoParameters } from '../../../check/query-parameters.ts'
import { isQuestionKey, keyRule } from '../../../check/question/question.ts'
import { changeAsTenant } from '../../../engine/postgres/as-tenant.ts'
import { once, readOutcome } from '../../../engine/postgres/metadata/idempotency.ts'
import { saveQuestion } from '../../../engine/postgres/questions/questions.ts'
import { ok } from '../../../envelope/envelope.ts'
import { checkedQuestion } from '../../../execute/check-question.ts'
import type { Handle } from '../../define-route.ts'

export const putQuestion: Handle = async ({ catalog, stores, now, inChangeSlot }, caller, given) => {
  const { body, query, params, headers, deadline, admission } = given
  checkNoParameters(query)
  const key = params['key'] ?? ''
  if (!isQuestionKey(key)) throw validationFail({ key: [keyRule] })
  const { postgres } = stores
  const idempotencyKey = checkIdempotencyKey(headers['idempotency-key'], body, `PUT /questions/${key}`)
  // Read the stored outcome first: the request of a retry may have become invalid meanwhile.
  const earlier = await readOutcome(caller, postgres, idempotencyKey)
  if (earlier !== null) return ok(earlier.body)
  const content = await checkedQuestion(caller, stores, catalog, body, now())
  admission.releaseSlot()
  const { body: saved } = await inChangeSlot(caller, deadline.signal, () =>
    changeAsTenant(caller, postgres, (client) =>
      once(caller, client, idempotencyKey, async () => {
        const version = await saveQuestion(caller, client, key, content)
        return { status: 200, body: { key, version } }
      }),
    ),
  )
  return ok(saved)
}
