import { networkOf } from '../../../base/network-of.ts'
import { peopleLimits } from '../../../base/people-limits.ts'
import { findRows, runNamed, type Postgres } from '../postgres.ts'

/** Attempts are counted in PostgreSQL, so that all copies of the service agree. */
const take = { name: 'take-sign-in', text: 'SELECT take_sign_in($1, $2, $3, $4, $5::interval) AS wait_ms' }
const giveBack = { name: 'give-back-sign-in', text: 'SELECT give_back_sign_in($1, $2)' }
const purge = { name: 'purge-sign-ins', text: 'SELECT purge_sign_ins($1::interval)' }

const refill = `${peopleLimits.signInRefillMs} milliseconds`

/** Who tries: a name, whether anybody has it or not, and an address. */
export type Attempt = { readonly name: string; readonly address: string }

const valuesOf = ({ name, address }: Attempt): string[] => [name.toLowerCase(), networkOf(address)]

/** 0 when it may be tried now, else after how many milliseconds. */
export async function takeSignIn({ pool }: Postgres, attempt: Attempt): Promise<number> {
  const values = [...valuesOf(attempt), peopleLimits.signInsByNameMax, peopleLimits.signInsByAddressMax, refill]
  const [row] = await findRows<{ wait_ms: number }>(pool, take, values)
  return row?.wait_ms ?? 0
}

/** The attempt was right, or its password was not looked at, and is not counted. */
export async function giveBackSignIn({ pool }: Postgres, attempt: Attempt): Promise<void> {
  await runNamed(pool, giveBack, valuesOf(attempt))
}

export async function purgeSignIns({ pool }: Postgres): Promise<void> {
  await runNamed(pool, purge, [refill])
}
