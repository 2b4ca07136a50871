import { tooManyRequests, type Fault } from '../../base/fault.ts'
import { peopleLimits } from '../../base/limits.ts'
import { takeAttempt, userSignIn, type Attempt } from '../postgres/people/sign-in-attempts.ts'
import type { Postgres } from '../postgres/postgres.ts'

/** Takes the attempt out of its buckets, or throws the 429. */
export async function limitAttempts(postgres: Postgres, attempt: Attempt): Promise<void> {
  const waitMs = await takeAttempt(postgres, attempt)
  if (waitMs > 0) throw tooMany(Math.min(...attempt.map(({ max }) => max)), waitMs)
}

/** Successful sign-ins of one user, by whatever provider. */
export const limitUserSignIns = (postgres: Postgres, userId: number): Promise<void> =>
  limitAttempts(postgres, userSignIn(userId))

/** PostgreSQL does not tell which bucket is empty: the headers have the smallest. */
const tooMany = (limit: number, retryMs: number): Fault =>
  tooManyRequests({
    what: 'attempts to sign in',
    limit,
    retryMs,
    detail: `sign-in attempts used up; the smallest limit is ${limit}`,
  })

/** No room to wait for a password hash. */
export const tooManyAtOnce = (): Fault =>
  tooManyRequests({
    what: 'attempts to sign in',
    limit: peopleLimits.passwordChecksAtOnceMax + peopleLimits.passwordChecksWaitingMax,
    retryMs: 5_000,
    detail: 'too many sign-ins at once',
  })
