import { networkOf } from '../../../base/network-of.ts'
import { peopleLimits } from '../../../base/limits.ts'
import { findRows, runNamed, type Postgres } from '../postgres.ts'

/** Attempts are counted in PostgreSQL, so that all instances use the same counts. */
const take = {
  name: 'take-sign-in-attempt',
  text: 'SELECT take_sign_in_attempt($1, $2, $3, $4::interval) AS wait_ms',
}
const giveBack = { name: 'give-back-sign-in-attempt', text: 'SELECT return_sign_in_attempt($1, $2)' }

const refill = `${peopleLimits.signInRefillMs} milliseconds`

type Bucket = {
  readonly kind: 'address' | 'name-address' | 'name' | 'device' | 'user' | 'link-network' | 'link'
  readonly subject: string
  readonly max: number
}

/** The token buckets of an attempt, always in the same order. */
export type Attempt = readonly Bucket[]

/** An attempt from a browser without the user's device cookie. The name may or may not exist. */
export function unknownDeviceAttempt(name: string, address: string): Attempt {
  const account = name.toLowerCase()
  const network = networkOf(address)
  return [
    { kind: 'address', subject: network, max: peopleLimits.signInsByNetworkMax },
    { kind: 'name-address', subject: `${account} ${network}`, max: peopleLimits.signInsByNameAndNetworkMax },
    { kind: 'name', subject: account, max: peopleLimits.signInsByNameMax },
  ]
}

export const deviceAttempt = (deviceId: string): Attempt => [
  { kind: 'device', subject: deviceId, max: peopleLimits.signInsByDeviceMax },
]

/** The sign-in of a user who has proved their identity. */
export const userSignIn = (userId: number): Attempt => [
  { kind: 'user', subject: String(userId), max: peopleLimits.signInsByUserMax },
]

const kindsOf = (attempt: Attempt): string[] => attempt.map(({ kind }) => kind)
const subjectsOf = (attempt: Attempt): string[] => attempt.map(({ subject }) => subject)

/** Returns 0 if the attempt is allowed now, otherwise the number of milliseconds to wait. */
export async function takeAttempt({ pool }: Postgres, attempt: Attempt): Promise<number> {
  const values = [kindsOf(attempt), subjectsOf(attempt), attempt.map(({ max }) => max), refill]
  const [row] = await findRows<{ wait_ms: number }>(pool, take, values)
  return row?.wait_ms ?? 0
}

/**
 * Returns an attempt to its buckets, so that the attempt does not count: the password was correct, or was not
 * checked.
 */
export async function returnAttempt({ pool }: Postgres, attempt: Attempt): Promise<void> {
  await runNamed(pool, giveBack, [kindsOf(attempt), subjectsOf(attempt)])
}
