import { networkOf } from '../../../base/network-of.ts'
import { peopleLimits } from '../../../base/limits.ts'
import { findRows, runNamed, type Postgres } from '../postgres.ts'

/** Attempts are counted in PostgreSQL, so that all instances agree. */
const take = {
  name: 'take-sign-in-attempt',
  text: 'SELECT take_sign_in_attempt($1, $2, $3, $4::interval) AS wait_ms',
}
const giveBack = { name: 'give-back-sign-in-attempt', text: 'SELECT give_back_sign_in_attempt($1, $2)' }

const refill = `${peopleLimits.signInRefillMs} milliseconds`

type Bucket = {
  readonly kind: 'address' | 'name-address' | 'name' | 'device' | 'user'
  readonly subject: string
  readonly max: number
}

/** The buckets an attempt is taken out of, always in the same order. */
export type Attempt = readonly Bucket[]

/** From a browser that has not been signed in as this person, whether or not the name exists. */
export function strangerAttempt(name: string, address: string): Attempt {
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

/** For somebody whose identity has been proved. */
export const userSignIn = (userId: number): Attempt => [
  { kind: 'user', subject: String(userId), max: peopleLimits.signInsByUserMax },
]

const kindsOf = (attempt: Attempt): string[] => attempt.map(({ kind }) => kind)
const subjectsOf = (attempt: Attempt): string[] => attempt.map(({ subject }) => subject)

/** 0 if the attempt may be made now, else the milliseconds until it may. */
export async function takeAttempt({ pool }: Postgres, attempt: Attempt): Promise<number> {
  const values = [kindsOf(attempt), subjectsOf(attempt), attempt.map(({ max }) => max), refill]
  const [row] = await findRows<{ wait_ms: number }>(pool, take, values)
  return row?.wait_ms ?? 0
}

/** The password was right, or was not checked: the attempt is not counted. */
export async function giveBackAttempt({ pool }: Postgres, attempt: Attempt): Promise<void> {
  await runNamed(pool, giveBack, [kindsOf(attempt), subjectsOf(attempt)])
}
