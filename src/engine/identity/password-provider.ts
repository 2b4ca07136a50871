import { rateHeaders } from '../../base/fair-limits.ts'
import { Fault } from '../../base/fault.ts'
import { isPassword, nobodysHash } from '../../base/password.ts'
import { peopleLimits } from '../../base/people-limits.ts'
import type { Identity, Whence } from '../../base/person.ts'
import { takeTurns } from '../../base/take-turns.ts'
import { findUser } from '../postgres/people/find-user.ts'
import { notePerson } from '../postgres/people/sessions.ts'
import { giveBackSignIn, takeSignIn } from '../postgres/people/sign-in-attempts.ts'
import type { Postgres } from '../postgres/postgres.ts'
import type { PasswordProvider } from './identity-provider.ts'

const { signInsByNameMax, passwordChecksAtOnceMax, passwordChecksWaitingMax } = peopleLimits

/** By name and password. Whether it is the name or the password that is wrong cannot be told, by the clock neither. */
export function passwordProvider(postgres: Postgres): PasswordProvider {
  // A look at a password takes 46 MiB and a thread that others need too.
  const inTurn = takeTurns(passwordChecksAtOnceMax, { max: passwordChecksWaitingMax, refuse: crowded })
  return async (name, password, whence) => {
    const attempt = { name, address: whence.address }
    const waitMs = await takeSignIn(postgres, attempt)
    if (waitMs > 0) throw tooMany(waitMs)
    const user = await findUser(postgres, name)
    const stored = user?.passwordHash ?? nobodysHash
    const isRight = await inTurn(() => isPassword(password, stored)).catch(async (error: unknown) => {
      // Nobody has looked at the password: nothing was tried.
      await giveBackSignIn(postgres, attempt)
      throw error
    })
    if (user === null || user.passwordHash === null || !isRight) {
      noteRefusal(postgres, user?.userId ?? null, whence)
      return null
    }
    await giveBackSignIn(postgres, attempt)
    const identity: Identity = { userId: user.userId, provenHash: user.passwordHash }
    return identity
  }
}

/** Not awaited: a write more would tell by the clock that somebody has the name. Attempts are few by then. */
function noteRefusal(postgres: Postgres, userId: number | null, whence: Whence): void {
  if (userId === null) return
  notePerson(postgres, userId, 'refused', whence).catch(() => {})
}

const crowded = (): Fault =>
  new Fault('TOO_MANY_REQUESTS', {
    headers: refusalHeaders(passwordChecksAtOnceMax + passwordChecksWaitingMax, 5),
    detail: 'too many sign-ins at once',
  })

/** PostgreSQL does not tell whether it is the name's or the address's limit: the headers have the smaller one. */
const tooMany = (waitMs: number): Fault =>
  new Fault('TOO_MANY_REQUESTS', {
    message: 'Too many attempts to sign in; try again after the time in Retry-After.',
    headers: refusalHeaders(signInsByNameMax, Math.max(1, Math.ceil(waitMs / 1000))),
    detail: 'attempts of the name or of the address are used up',
  })

const refusalHeaders = (limit: number, resetSeconds: number): Record<string, string> => ({
  'retry-after': String(resetSeconds),
  ...rateHeaders({ limit, remaining: 0, resetSeconds }),
})
