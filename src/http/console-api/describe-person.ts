import type { Person } from '../../base/person.ts'
import { readWay } from '../../engine/postgres/people/users.ts'
import { personAnswer } from '../../envelope/listings.ts'
import type { SessionContext } from './define-session-route.ts'

/** Who is signed in, and by what. A sign-in the operator has taken away since is still called by its key. */
export async function describePerson({ postgres, providers }: SessionContext, person: Person) {
  const way = await readWay(person, postgres)
  const title = providers.redirects.find(({ key }) => key === way.provider)?.title ?? null
  return personAnswer(person, way, title)
}
