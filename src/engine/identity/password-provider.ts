import { readDevice } from '../../base/device-cookie.ts'
import { isPassword, nobodysHash } from '../../base/password.ts'
import { peopleLimits } from '../../base/limits.ts'
import type { Identity, Whence } from '../../base/person.ts'
import { takeTurns } from '../../base/semaphore.ts'
import { findUser } from '../postgres/people/users.ts'
import { notePerson } from '../postgres/people/sessions.ts'
import { deviceAttempt, giveBackAttempt, strangerAttempt } from '../postgres/people/sign-in-attempts.ts'
import type { Postgres } from '../postgres/postgres.ts'
import type { PasswordProvider } from './identity-provider.ts'
import { limitAttempts, limitUserSignIns, tooManyAtOnce } from './limit-sign-ins.ts'

const hashSlots = () =>
  takeTurns(peopleLimits.passwordChecksAtOnceMax, {
    max: peopleLimits.passwordChecksWaitingMax,
    refuse: tooManyAtOnce,
  })

/**
 * By name and password. Names that exist and names that do not take the same path and the same time; only a browser with
 * the person's device cookie is treated differently.
 */
export function passwordProvider(postgres: Postgres): PasswordProvider {
  const [strangerSlots, deviceSlots] = [hashSlots(), hashSlots()]
  return async ({ name, password, device }, whence) => {
    const user = await findUser(postgres, name)
    const hash = user?.passwordHash ?? null
    const deviceId = readDevice(device, hash ?? nobodysHash)
    // Without a hash there is no known device: `nobodysHash` is public, and a cookie for it can be forged.
    const known = hash === null ? null : deviceId
    const attempt = known === null ? strangerAttempt(name, whence.address) : deviceAttempt(known)
    await limitAttempts(postgres, attempt)
    const inSlot = known === null ? strangerSlots : deviceSlots
    const isRight = await inSlot(() => isPassword(password, hash ?? nobodysHash)).catch(async (error: unknown) => {
      await giveBackAttempt(postgres, attempt)
      throw error
    })
    if (user === null || hash === null || !isRight) {
      noteRefusal(postgres, user?.userId ?? null, whence)
      return null
    }
    // Before the attempt is given back: whoever goes on beyond this limit runs out of attempts, and costs no more hashes.
    await limitUserSignIns(postgres, user.userId)
    await giveBackAttempt(postgres, attempt)
    const identity: Identity = { userId: user.userId, provenHash: hash }
    return identity
  }
}

/** Not awaited: the time of another write would tell that the name exists. Attempts are few by then. */
function noteRefusal(postgres: Postgres, userId: number | null, whence: Whence): void {
  if (userId === null) return
  notePerson(postgres, userId, 'refused', whence).catch(() => {})
}
