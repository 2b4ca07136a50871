import type { FastifyReply, FastifyRequest } from 'fastify'
import { accessDenied, Fault, tooManyRequests } from '../../base/fault.ts'
import { networkOf } from '../../base/network-of.ts'
import type { GuessLimit, TakeRequestSlot } from '../../base/quotas.ts'
import { hasLinkForm } from '../../base/token.ts'
import { linkLimits } from '../../check/question/link-request.ts'
import type { CheckLinkPassword } from '../../engine/identity/link-password.ts'
import { openLink, type OpenLink } from '../../engine/postgres/questions/links.ts'
import type { Postgres } from '../../engine/postgres/postgres.ts'
import { holdSlot } from '../identify.ts'

export type LinkGuards = {
  /** These slots are separate from those of tokens, so that visitors of links never compete with requests of tokens. */
  readonly takeRequestSlot: TakeRequestSlot<OpenLink>
  readonly guesses: GuessLimit
  readonly checkPassword: CheckLinkPassword
}

export type LinkRequestParts = { Querystring: Record<string, unknown>; Params: { secret: string } }

type Asked = FastifyRequest<LinkRequestParts>

/**
 * Finds the link that a visitor asks for. Unknown, revoked and expired links get the same 404, and so do links whose maker may
 * no longer read data. `onFound` is called before the limit and the password of the link are checked.
 */
export async function admitVisitor(
  request: Asked,
  reply: FastifyReply,
  { takeRequestSlot, guesses, checkPassword }: LinkGuards,
  postgres: Postgres,
  onFound: (link: OpenLink) => void,
): Promise<void> {
  const { secret } = request.params
  const network = networkOf(request.ip)
  const wrong = (detail: string): Fault => {
    guesses.count(network)
    return new Fault('NOT_FOUND', { detail })
  }
  const refuseGuesser = () => {
    const refused = guesses.refusal(network)
    if (refused !== null) throw refused
  }
  // The checksum tells most guesses without a look-up.
  if (!hasLinkForm(secret)) {
    refuseGuesser()
    throw wrong('the secret of a link is mistyped: its checksum does not fit')
  }
  const slot = holdSlot(takeRequestSlot({ credential: secret, network }), request, reply)
  // A link that this instance knows works for a whole office, also if another link of the office does not.
  if (slot.known === null) refuseGuesser()
  const link = await slot
    .identify(async () => {
      const found = await openLink(postgres, secret)
      if (found === null) throw accessDenied('no link with this secret works')
      return found
    })
    .catch((error: unknown) => {
      throw error instanceof Fault && error.code === 'ACCESS_DENIED' ? wrong(error.detail ?? '') : error
    })
  onFound(link)
  if (link.waitMs > 0) throw tooManyUses(link)
  await requirePassword(link, request, checkPassword)
}

const tooManyUses = ({ id, waitMs }: OpenLink): Fault =>
  tooManyRequests({
    what: `requests of this link; at most ${linkLimits.requestsPerSecond} a second`,
    limit: linkLimits.requestsPerSecond,
    retryMs: waitMs,
    detail: `requests a second of link ${id}`,
  })

async function requirePassword(link: OpenLink, { headers, ip }: Asked, check: CheckLinkPassword): Promise<void> {
  const { passwordHash } = link
  if (passwordHash === null) return
  const password = basicPassword(headers.authorization)
  if (password !== null && (await check({ ...link, passwordHash }, password, ip))) return
  throw new Fault('PASSWORD_REQUIRED', {
    headers: { 'www-authenticate': 'Basic realm="shared question", charset="UTF-8"' },
    detail: password === null ? 'a link without its password' : 'a link with a wrong password',
  })
}

/** Returns the password of an `Authorization: Basic` header, as spreadsheets and browsers send it. Its user name may be any. */
function basicPassword(header = ''): string | null {
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header) ?? []
  if (encoded === undefined) return null
  const [, password] = /^[^:]*:(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? []
  return password ?? null
}
