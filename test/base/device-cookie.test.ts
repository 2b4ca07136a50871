import { expect, it } from 'vitest'
import { deviceIdBytes, issueDevice, readDevice } from '../../src/base/device-cookie.ts'

const id = Buffer.alloc(deviceIdBytes, 7)
const cookie = issueDevice(id, 'the hash of a password')

it('is valid with the password hash it was issued for, and with no other', () => {
  expect(readDevice(cookie, 'the hash of a password')).toBe(id.toString('base64url'))
  expect(readDevice(cookie, 'the hash of a passwore')).toBeNull()
})

it.each([null, '', '.', 'x', `${cookie}A`, cookie.slice(0, -1), cookie.replace('.', ''), `A${cookie.slice(1)}`])(
  'is not valid: %j',
  (other) => {
    expect(readDevice(other, 'the hash of a password')).toBeNull()
  },
)
