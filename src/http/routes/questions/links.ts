import { accessDenied, Fault } from '../../../base/fault.ts'
import { checkIdempotencyKey } from '../../../check/idempotency-key.ts'
import { checkLinkRequest, linkId } from '../../../check/question/link-request.ts'
import { checkNoParameters } from '../../../check/query-parameters.ts'
import { changeAsTenant } from '../../../engine/postgres/as-tenant.ts'
import { once } from '../../../engine/postgres/metadata/idempotency.ts'
import { createLink, findLinks, hashLinkPassword, removeLink } from '../../../engine/postgres/questions/links.ts'
import { ok } from '../../../envelope/envelope.ts'
import type { Handle } from '../../define-route.ts'
import { keyIn, noSuchQuestion } from './read.ts'

export const listLinks: Handle = async ({ stores }, caller, { params }) => {
  const links = await findLinks(caller, stores.postgres, keyIn(params))
  if (links === null) throw noSuchQuestion()
  return ok(links)
}

/** Takes no Idempotency-Key: the outcome would be stored, and it contains the secret. */
export const postLink: Handle = async ({ stores: { postgres }, now, inChangeSlot }, caller, given) => {
  const { body, query, params, deadline, admission } = given
  checkNoParameters(query)
  // A link reads what its maker may read. Without this scope, it could never be used.
  if (!caller.tokenScopes.includes('data:read')) throw accessDenied('the token lacks the scope data:read')
  const request = checkLinkRequest(body, now())
  const key = keyIn(params)
  admission.releaseSlot()
  const link = await inChangeSlot(caller, deadline.signal, async () => {
    const passwordHash = await hashLinkPassword(request)
    return changeAsTenant(caller, postgres, (client) => createLink(caller, client, key, request, passwordHash))
  })
  if (link === null) throw noSuchQuestion()
  return ok({ id: link.id, path: `/s/${link.secret}` })
}

export const deleteLink: Handle = async ({ stores, inChangeSlot }, caller, given) => {
  const { query, params, headers, deadline, admission } = given
  checkNoParameters(query)
  const key = keyIn(params)
  const { id = '' } = params
  if (!linkId.test(id)) throw noSuchLink()
  const idempotencyKey = checkIdempotencyKey(
    headers['idempotency-key'],
    undefined,
    `DELETE /questions/${key}/links/${id}`,
  )
  admission.releaseSlot()
  const { status } = await inChangeSlot(caller, deadline.signal, () =>
    changeAsTenant(caller, stores.postgres, (client) =>
      once(caller, client, idempotencyKey, async () => {
        const isRemoved = await removeLink(caller, client, key, Number(id))
        return { status: isRemoved ? 200 : 404, body: null }
      }),
    ),
  )
  if (status === 404) throw noSuchLink()
  return ok()
}

const noSuchLink = (): Fault => new Fault('NOT_FOUND', { detail: 'no link of a question of the caller’s organisation' })
