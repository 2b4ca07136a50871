import { expect, it } from 'vitest'
import { Fault } from '../../../src/base/fault.ts'
import { checkLinkRequest } from '../../../src/check/question/link-request.ts'

const now = Temporal.Instant.from('2026-01-05T12:00:00Z')

const faultsOf = (body: unknown): unknown => {
  try {
    return checkLinkRequest(body, now)
  } catch (error) {
    return error instanceof Fault ? Object.keys(error.errors ?? {}) : error
  }
}

it('takes a label, an expiry and a password', () => {
  expect(faultsOf({ label: ' a ' })).toEqual({ label: 'a', expiresAt: null, password: null })
  const expiresAt = Temporal.Instant.from('2026-01-05T12:00:01Z')
  const password = 'twelve chars'
  expect(faultsOf({ label: 'a', expires_at: '2026-01-05T12:00:01Z', password })).toMatchObject({ label: 'a', password })
  expect(checkLinkRequest({ label: 'a', expires_at: '2026-01-05T12:00:01Z' }, now).expiresAt?.equals(expiresAt)).toBe(
    true,
  )
})

it('names each wrong field', () => {
  expect(faultsOf([])).toEqual(['body', 'label'])
  expect(faultsOf({ label: 'x'.repeat(201) })).toEqual(['label'])
  expect(faultsOf({ label: 'x'.repeat(200) })).toMatchObject({ label: 'x'.repeat(200) })
  expect(faultsOf({ label: 'a', expires_at: '2026-01-05T12:00:00Z' })).toEqual(['expires_at'])
  expect(faultsOf({ label: 'a', password: 'x'.repeat(11) })).toEqual(['password'])
  expect(faultsOf({ label: 'a', password: 'x'.repeat(12) })).toMatchObject({ password: 'x'.repeat(12) })
  expect(faultsOf({ label: 'a', password: 'x'.repeat(1_025) })).toEqual(['password'])
  expect(faultsOf({ label: 'a', passwort: 'x' })).toEqual(['passwort'])
})
