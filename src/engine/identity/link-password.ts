import { hash } from 'node:crypto'
import { evictOldest } from '../../base/evict-oldest.ts'
import { peopleLimits } from '../../base/limits.ts'
import { networkOf } from '../../base/network-of.ts'
import { isPassword } from '../../base/password.ts'
import { semaphore } from '../../base/semaphore.ts'
import { linkLimits } from '../../check/question/link-request.ts'
import { returnAttempt, type Attempt } from '../postgres/people/sign-in-attempts.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { limitAttempts, tooManyAtOnce } from './limit-sign-ins.ts'

type Protected = { readonly id: number; readonly passwordHash: string }

/** Returns true if the password is that of the link. Throws a 429 after too many wrong ones. */
export type CheckLinkPassword = (link: Protected, password: string, address: string) => Promise<boolean>

/**
 * Wrong passwords are limited per link and network, and per link. A password that this instance has found to be right before
 * is recognised by a fast hash in memory. So spreadsheets that refresh cost no Argon2, and someone else's guesses do not lock
 * them out.
 */
export function linkPasswords(postgres: Postgres): CheckLinkPassword {
  const known = new Map<string, true>()
  const inSlot = semaphore(peopleLimits.passwordChecksAtOnceMax, {
    max: peopleLimits.passwordChecksWaitingMax,
    refuse: tooManyAtOnce,
  })
  return async ({ id, passwordHash }, password, address) => {
    const key = hash('sha256', JSON.stringify([id, passwordHash, password]))
    if (known.has(key)) return true
    const attempt = attemptOn(id, address)
    await limitAttempts(postgres, attempt)
    const isRight = await inSlot(() => isPassword(password, passwordHash)).catch(async (error: unknown) => {
      await returnAttempt(postgres, attempt)
      throw error
    })
    if (!isRight) return false
    await returnAttempt(postgres, attempt)
    known.set(key, true)
    evictOldest(known)
    return true
  }
}

const attemptOn = (id: number, address: string): Attempt => [
  { kind: 'link-network', subject: `${id} ${networkOf(address)}`, max: linkLimits.passwordsByNetworkMax },
  { kind: 'link', subject: String(id), max: linkLimits.passwordsMax },
]
