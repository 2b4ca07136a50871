import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Observe } from '../../base/observe.ts'
import { limits } from '../../base/limits.ts'
import { countLinkUse, type OpenLink } from '../../engine/postgres/questions/links.ts'
import { inSpan } from '../../engine/tracing.ts'
import { analyticsQuery, onceAudited } from '../analytics-query.ts'
import { faultOf, observeFault, send, sendContent, sendFault } from '../answer.ts'
import { svgDrawer, type SvgDrawer } from '../drawing/draw-svg.ts'
import { towardsFirstByte, withinFirstByteDeadline } from '../first-byte-deadline.ts'
import { placeOf, type MountOptions } from '../mount-routes.ts'
import { type BaseUrl, refuseOtherMethods } from '../server/routing.ts'
import { admitVisitor, type LinkGuards, type LinkRequestParts } from './admit-visitor.ts'
import { answerLink, linkForms, type LinkForm } from './answer-link.ts'
import { faultPage, pageStyleSource } from '../../envelope/links/link-page.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The share link that a visitor uses. Null on all other routes. */
    link: OpenLink | null
  }
}

export type LinkMountOptions = Pick<MountOptions, 'context' | 'queryGuards' | 'observe'> & {
  readonly guards: LinkGuards
}

type Asked = FastifyRequest<LinkRequestParts>

/** Serves share links. The secret in the path is the only credential; the routes set and read no cookies. */
export function mountLinks(app: FastifyInstance, base: BaseUrl, options: LinkMountOptions): void {
  app.decorateRequest('link', null)
  const drawer = svgDrawer()
  app.addHook('onClose', drawer.close)
  for (const form of linkForms) mountLink(app, base, form, { ...options, draw: drawer.draw })
}

function mountLink(
  app: FastifyInstance,
  base: BaseUrl,
  form: LinkForm,
  options: LinkMountOptions & Pick<SvgDrawer, 'draw'>,
): void {
  const { context, queryGuards, observe, draw } = options
  const { postgres } = context.stores
  const place = placeOf(base, form.path)
  app.route<LinkRequestParts>({
    ...place,
    method: 'GET',
    config: { interface: 'data' },
    onRequest: (request, reply) => inSpan(request.span, () => admit(request, reply, form, options)),
    handler: (request, reply) =>
      inSpan(request.span, async () => {
        const link = linkOf(request)
        const { id: requestId, span, query, params, releaseSlot } = request
        const asked = {
          endpoint: `GET ${form.path}`,
          requestId,
          traceId: span?.traceId ?? null,
          body: { link: link.id },
        }
        const answer = await withinFirstByteDeadline(reply.raw, limits.firstByteTimeoutMs, async (deadline) => {
          const analytics = analyticsQuery(queryGuards, link, asked, reply, deadline.signal, releaseSlot)
          const admission = { beginQuery: analytics.begin, releaseSlot, confirmCaller: async () => link }
          const found = await answerLink(context, link, form, {
            query,
            secret: params.secret,
            draw,
            leave: analytics.leave,
            admission,
            deadline,
          })
          analytics.leave()
          await countLinkUse(postgres, link)
          return onceAudited(found, analytics.durable, deadline.signal)
        })
        return 'content' in answer
          ? sendContent(reply.headers(answer.headers), answer.content)
          : send(reply.headers(answer.headers), 200, answer.envelope)
      }),
    errorHandler: (error, request, reply) => sendLinkFault(observe, request, reply, form, error),
  })
  refuseOtherMethods(app, place, ['GET'])
}

const admit = (request: Asked, reply: FastifyReply, { key }: LinkForm, options: LinkMountOptions): Promise<void> =>
  towardsFirstByte(reply.raw, () => {
    const { context, guards } = options
    reply.headers(linkHeaders(key, []))
    return admitVisitor(request, reply, guards, context.stores.postgres, (link) => {
      const { organisationId, organisationKey, tokenId, tokenScopes } = link
      // Events contain the caller, so it must not contain the hash of the password.
      Object.assign(request, { link, caller: { organisationId, organisationKey, tokenId, tokenScopes } })
      reply.headers(linkHeaders(key, link.frameOrigins))
    })
  })

/** Only a browser gets an error as a page. */
function sendLinkFault(observe: Observe, request: Asked, reply: FastifyReply, form: LinkForm, error: unknown): void {
  const fault = faultOf(error, request)
  const { status, headers, message } = fault
  // A link whose question has become invalid gets the same response as an unknown one.
  if (status === 404) reply.headers(linkHeaders(form.key, []))
  if (form.key === 'page' && /text\/html/i.test(request.headers.accept ?? '')) {
    observeFault(observe, request, fault)
    const page = { ...headers, 'content-type': form.type }
    void reply.code(status).headers(page).send(faultPage(status, message))
  } else void sendFault(observe, request, reply, fault)
}

function linkOf({ link }: Pick<FastifyRequest, 'link'>): OpenLink {
  if (link === null) throw new Error('a route for links ran without one')
  return link
}

/**
 * Headers of every response to a share link, also of errors. Browsers get no script, no cookie and no request elsewhere, and
 * show the response in a frame only on pages of `frameOrigins`. A referrer would tell other sites the secret.
 */
const linkHeaders = (form: LinkForm['key'], frameOrigins: readonly string[]): Record<string, string> => ({
  'content-security-policy': [
    "default-src 'none'",
    ...(form === 'page' ? ['img-src data:', `style-src ${pageStyleSource}`] : []),
    // A picture that is opened by itself is a document, and its texts have style attributes.
    ...(form === 'svg' ? ["style-src 'unsafe-inline'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${frameOrigins.length === 0 ? "'none'" : frameOrigins.join(' ')}`,
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
})
