import type { FastifyRequest } from 'fastify'
import { accessDenied } from '../../base/fault.ts'

/** A page of another site cannot send it without asking us first, and we do not allow it. */
export const consoleHeader = 'x-broadgauge-console'

/**
 * A cookie is sent by the browser, whoever asks for it; so whatever changes something must come from our own page. Beside
 * `SameSite` there are two walls: a header others cannot set, and what the browser itself says of where the request is from.
 */
export function refuseOtherSites({ method, headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw accessDenied(`a request from another site (${site.slice(0, 20)})`)
  }
  if (method !== 'GET' && method !== 'HEAD' && headers[consoleHeader] === undefined) {
    throw accessDenied(`no ${consoleHeader} header`)
  }
}
