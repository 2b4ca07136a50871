import type { FastifyRequest } from 'fastify'
import { accessDenied } from '../../base/fault.ts'
import type { Person } from '../../base/person.ts'

/** A page of another site can send this header only if a CORS preflight allows it. The service never allows it. */
export const consoleHeader = 'x-broadgauge-console'

/**
 * Prevents CSRF: a browser sends the cookie with requests of any page. `SameSite` is the first protection. This function adds
 * defence in depth: it requires a header that other sites cannot set, and checks the browser's `Sec-Fetch-Site` header.
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

/** Header with the person that the page shows, as `organisation/name`, percent-encoded. */
const personHeader = 'x-broadgauge-person'

/**
 * All tabs of a browser share the cookie. If a second person signs in in another tab, the first tab would act as the second
 * person while it shows the first person's name. So each page sends the person that it shows. The service refuses the request
 * if the session belongs to another person.
 */
export function refuseOtherPeople({ headers }: FastifyRequest, { organisationKey, userName }: Person): void {
  const shown = headers[personHeader]
  if (shown !== undefined && shown !== encodeURIComponent(`${organisationKey}/${userName}`)) {
    throw accessDenied('the page of another person')
  }
}
