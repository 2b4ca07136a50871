import { expect, it } from 'vitest'
import type { Person } from '../../src/base/person.ts'
import { personAnswer } from '../../src/envelope/listings.ts'

const person: Person = {
  organisationId: 4,
  organisationKey: 'acme',
  organisationName: 'Acme Broadband',
  userId: 9,
  userName: 'ann@acme.example',
  role: 'analyst',
  sessionId: 11,
  sessionExpiresAt: new Date(Date.UTC(2026, 4, 6)),
}

it('shows a person with a password by name, role and organisation, without ids', () => {
  expect(personAnswer(person, { hasPassword: true, provider: null }, null)).toEqual({
    name: 'ann@acme.example',
    role: 'analyst',
    organisation: { key: 'acme', name: 'Acme Broadband' },
    has_password: true,
    provider: null,
    expires_at: '2026-05-06T00:00:00.000Z',
  })
})

it('shows the title of the provider through which a person signs in', () => {
  expect(personAnswer(person, { hasPassword: false, provider: 'acme-sso' }, 'Acme single sign-on')).toMatchObject({
    has_password: false,
    provider: { key: 'acme-sso', title: 'Acme single sign-on' },
  })
})

it('shows a provider without a title under its key', () => {
  expect(personAnswer(person, { hasPassword: false, provider: 'acme-sso' }, null)).toMatchObject({
    provider: { key: 'acme-sso', title: 'acme-sso' },
  })
})

it('shows no provider if there is only a title', () => {
  expect(personAnswer(person, { hasPassword: true, provider: null }, 'left over')).toMatchObject({ provider: null })
})
