import { Fault } from '../../../base/fault.ts'
import { checkNoParameters } from '../../../check/query-parameters.ts'
import { revokeOwnToken } from '../../../engine/postgres/people/own-tokens.ts'
import { ok } from '../../../envelope/envelope.ts'
import { defineSessionRoute } from '../define-session-route.ts'

/** Largest value of PostgreSQL's `integer`. */
const numberMax = 2_147_483_647

export default defineSessionRoute(
  'DELETE',
  '/tokens/:id',
  'administrator',
  async ({ postgres }, person, { params: { id = '' }, query, origin }) => {
    checkNoParameters(query)
    // An unknown token, a token of another organisation and the token of a session all get the same 404.
    const isNumber = /^[1-9]\d{0,9}$/.test(id) && Number(id) <= numberMax
    const isFound = isNumber && (await revokeOwnToken(person, postgres, Number(id), origin))
    if (!isFound) throw new Fault('NOT_FOUND', { detail: 'no such token of the organisation' })
    return ok()
  },
)
