import type { Person } from '../../base/person.ts'
import { readWay } from '../../engine/postgres/people/users.ts'
import { personAnswer } from '../../envelope/listings.ts'
import type { SessionContext } from './define-session-route.ts'

/** If the operator has removed the person's identity provider, the response contains the provider's key as its title. */
export async function describePerson({ postgres, providers }: SessionContext, person: Person) {
  const way = await readWay(person, postgres)
  const title = providers.redirects.find(({ key }) => key === way.provider)?.title ?? null
  return personAnswer(person, way, title)
}
