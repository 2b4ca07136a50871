import type { Person, Way } from '../base/person.ts'

export const personAnswer = (person: Person, { hasPassword, provider }: Way, providerTitle: string | null) => ({
  name: person.userName,
  role: person.role,
  organisation: { key: person.organisationKey, name: person.organisationName },
  has_password: hasPassword,
  provider: provider === null ? null : { key: provider, title: providerTitle ?? provider },
  expires_at: person.sessionExpiresAt.toISOString(),
})
