import { Fault } from '../../../base/fault.ts'
import { checkNoParameters } from '../../../check/query-parameters.ts'
import { revokeOwnToken } from '../../../engine/postgres/people/own-tokens.ts'
import { ok } from '../../../envelope/envelope.ts'
import { defineSessionRoute } from '../define-session-route.ts'

/** What the column holds. */
const numberMax = 2_147_483_647

export default defineSessionRoute(
  'DELETE',
  '/tokens/:id',
  'administrator',
  async ({ postgres }, person, { params: { id = '' }, query, whence }) => {
    checkNoParameters(query)
    // Of another organisation, of a session, or of nobody: all the same.
    const isNumber = /^[1-9]\d{0,9}$/.test(id) && Number(id) <= numberMax
    const isFound = isNumber && (await revokeOwnToken(person, postgres, Number(id), whence))
    if (!isFound) throw new Fault('NOT_FOUND', { detail: 'no such token of the organisation' })
    return ok()
  },
)
