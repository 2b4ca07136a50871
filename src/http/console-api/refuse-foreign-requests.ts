import type { FastifyRequest } from 'fastify'
import { accessDenied } from '../../base/fault.ts'
import type { Person } from '../../base/person.ts'

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

/** Whom a page shows, as `organisation/name`, percent-encoded. */
const personHeader = 'x-broadgauge-person'

/**
 * The cookie is the browser's: when somebody else has signed in beside it, a page would go on as them under the first one's
 * name. So it says whom it shows, once it knows, and nobody else is served on it.
 */
export function refuseOtherPeople({ headers }: FastifyRequest, { organisationKey, userName }: Person): void {
  const shown = headers[personHeader]
  if (shown !== undefined && shown !== encodeURIComponent(`${organisationKey}/${userName}`)) {
    throw accessDenied('the page of another person')
  }
}
