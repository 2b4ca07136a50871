import { tooManyRequests, type Fault } from '../../base/fault.ts'
import { peopleLimits } from '../../base/limits.ts'
import { takeAttempt, userSignIn, type Attempt } from '../postgres/people/sign-in-attempts.ts'
import type { Postgres } from '../postgres/postgres.ts'

/** Takes one attempt from each bucket that applies. Throws a 429 if a bucket is empty. */
export async function limitAttempts(postgres: Postgres, attempt: Attempt): Promise<void> {
  const waitMs = await takeAttempt(postgres, attempt)
  if (waitMs > 0) throw tooMany(Math.min(...attempt.map(({ max }) => max)), waitMs)
}

/** Limits the successful sign-ins of one user, with any provider. */
export const limitUserSignIns = (postgres: Postgres, userId: number): Promise<void> =>
  limitAttempts(postgres, userSignIn(userId))

/** PostgreSQL does not say which bucket is empty, so the response headers show the smallest limit. */
const tooMany = (limit: number, retryMs: number): Fault =>
  tooManyRequests({
    what: 'attempts to sign in',
    limit,
    retryMs,
    detail: `sign-in attempts used up; the smallest limit is ${limit}`,
  })

/** The error when the queue for password hashes is full. */
export const tooManyAtOnce = (): Fault =>
  tooManyRequests({
    what: 'attempts to sign in',
    limit: peopleLimits.passwordChecksAtOnceMax + peopleLimits.passwordChecksWaitingMax,
    retryMs: 5_000,
    detail: 'too many sign-ins at once',
  })
