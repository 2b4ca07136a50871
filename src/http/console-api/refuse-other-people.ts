import type { FastifyRequest } from 'fastify'
import { accessDenied } from '../../base/fault.ts'
import type { Person } from '../../base/person.ts'

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
