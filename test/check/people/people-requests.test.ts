import { describe, expect, it } from 'vitest'
import { checkPasswordChange, checkSignInRequest, userName } from '../../../src/check/people/sign-in-request.ts'
import { checkTokenRequest, isTooFar, tooManyTokens } from '../../../src/check/people/token-request.ts'
import { choice, errorsOf, missing, type, unexpected } from '../faults.ts'

describe('a sign-in', () => {
  const ascii = ['This value should be 1 to 254 characters of ASCII without spaces.']
  const short = ['This value should be at most 1024 characters.']

  it('is a name and a password', () => {
    expect(checkSignInRequest({ name: 'ann@acme.example', password: ' any text ' })).toEqual({
      name: 'ann@acme.example',
      password: ' any text ',
    })
  })

  it.each([
    [[], { body: type('object') }],
    [{}, { name: missing, password: missing }],
    [
      { name: 1, password: [] },
      { name: type('string'), password: type('string') },
    ],
    [{ name: 'a', password: 'b', remember: true }, { remember: unexpected }],
    [{ name: '', password: 'b' }, { name: ascii }],
    [{ name: 'a b', password: 'b' }, { name: ascii }],
    [{ name: 'ä', password: 'b' }, { name: ascii }],
    [{ name: 'a'.repeat(255), password: 'b' }, { name: ascii }],
    [
      { name: 'a'.repeat(1_025), password: 'b'.repeat(1_025) },
      { name: short, password: short },
    ],
  ])('is refused: %j', (body, errors) => {
    expect(errorsOf(() => checkSignInRequest(body))).toEqual(errors)
  })

  it('accepts names of 254 characters and passwords of 1,024', () => {
    expect(errorsOf(() => checkSignInRequest({ name: 'a'.repeat(254), password: 'b'.repeat(1_024) }))).toBeNull()
    expect(userName.test('!~')).toBe(true)
  })
})

describe('a change of a password', () => {
  it('has the current password and a new one of twelve characters or more', () => {
    expect(checkPasswordChange({ current: 'old', new: 'twelve chars' })).toEqual({
      current: 'old',
      next: 'twelve chars',
    })
  })

  it.each([
    [{ current: 'old', new: 'eleven char' }, { new: ['This value should be at least 12 characters.'] }],
    [
      { current: 'twelve chars', new: 'twelve chars' },
      { new: ['This value should differ from the current password.'] },
    ],
    [{ current: 'old' }, { new: missing }],
    [{ new: 'twelve chars' }, { current: missing }],
    ['x', { body: type('object') }],
  ])('is refused: %j', (body, errors) => {
    expect(errorsOf(() => checkPasswordChange(body))).toEqual(errors)
  })
})

describe('a token', () => {
  const now = Temporal.Instant.from('2026-03-29T12:00:00Z')
  const proper = { label: 'Night job', scopes: ['data:read'] }
  const check = (body: unknown) => checkTokenRequest(body, now)
  const label = ['This value should be 1 to 200 characters, none a control character.']
  const time = ['This value should be a time such as 2027-01-31T00:00:00Z.']
  const future = ['This value should be in the future.']

  it('has a label, scopes in their order, and an expiry or none', () => {
    expect(check({ label: ' Night job ', scopes: ['ingest:write', 'data:read'] })).toEqual({
      label: 'Night job',
      scopes: ['data:read', 'ingest:write'],
      expiresAt: null,
    })
    expect(check({ ...proper, expires_at: null }).expiresAt).toBeNull()
    expect(check({ ...proper, expires_at: '2026-03-29T14:00:01+02:00' }).expiresAt?.toString()).toBe(
      '2026-03-29T12:00:01Z',
    )
  })

  it.each([
    ['x', { body: type('object'), label: missing, scopes: missing }],
    [{}, { label: missing, scopes: missing }],
    [{ ...proper, label: 5 }, { label: type('string') }],
    [{ ...proper, label: '  ' }, { label }],
    [{ ...proper, label: 'a'.repeat(201) }, { label }],
    [{ ...proper, label: 'a\tb' }, { label }],
    [{ ...proper, scopes: 'data:read' }, { scopes: type('array') }],
    [{ ...proper, scopes: [] }, { scopes: ['Choose at least one scope.'] }],
    [
      { ...proper, scopes: ['data:read', 'root', 7] },
      { 'scopes[1]': choice, 'scopes[2]': choice },
    ],
    [{ ...proper, scopes: ['data:read', 'data:read'] }, { scopes: ['Name each scope once.'] }],
    [{ ...proper, expires_at: 'tomorrow' }, { expires_at: time }],
    [{ ...proper, expires_at: '2027-01-31' }, { expires_at: time }],
    [{ ...proper, expires_at: 1 }, { expires_at: time }],
    [{ ...proper, expires_at: '2026-03-29T12:00:00Z' }, { expires_at: future }],
    [
      { ...proper, expires_at: '+010000-01-01T00:00:00Z' },
      { expires_at: ['This value should be before the year 10000.'] },
    ],
    [{ ...proper, colour: 'red' }, { colour: unexpected }],
  ])('is refused: %j', (body, errors) => {
    expect(errorsOf(() => check(body))).toEqual(errors)
  })

  it('may have a label of 200 characters', () => {
    expect(check({ ...proper, label: 'a'.repeat(200) }).label).toHaveLength(200)
  })

  it('is one of at most 1,000', () => {
    expect(tooManyTokens).toBe('There may be at most 1000 tokens that work: revoke some first.')
  })

  it.each([
    ['9999-12-31T23:59:59.999999Z', false],
    ['9999-12-31T23:59:59.9999994Z', false],
    ['9999-12-31T23:59:59.9999995Z', true],
    ['+010000-01-01T00:00:00Z', true],
  ])('that expires at %s expires too late: %s', (end, expected) => {
    expect(isTooFar(Temporal.Instant.from(end))).toBe(expected)
  })
})
