import type { Person } from '../base/person.ts'

export const personAnswer = (person: Person) => ({
  name: person.userName,
  role: person.role,
  organisation: { key: person.organisationKey, name: person.organisationName },
  expires_at: person.sessionExpiresAt.toISOString(),
})
