import { readDevice } from '../../base/device-cookie.ts'
import { isPassword, unusedHash } from '../../base/password.ts'
import { peopleLimits } from '../../base/limits.ts'
import type { Identity, RequestOrigin } from '../../base/person.ts'
import { semaphore } from '../../base/semaphore.ts'
import { findUser } from '../postgres/people/users.ts'
import { recordPeopleEvent } from '../postgres/people/sessions.ts'
import { deviceAttempt, returnAttempt, unknownDeviceAttempt } from '../postgres/people/sign-in-attempts.ts'
import type { Postgres } from '../postgres/postgres.ts'
import type { PasswordProvider } from './identity-provider.ts'
import { limitAttempts, limitUserSignIns, tooManyAtOnce } from './limit-sign-ins.ts'

const hashSlots = () =>
  semaphore(peopleLimits.passwordChecksAtOnceMax, {
    max: peopleLimits.passwordChecksWaitingMax,
    refuse: tooManyAtOnce,
  })

/**
 * Sign-in with name and password. For existing and for unknown names, the code takes the same path and the same time. Only a
 * browser with the user's device cookie is treated differently.
 */
export function passwordProvider(postgres: Postgres): PasswordProvider {
  const [strangerSlots, deviceSlots] = [hashSlots(), hashSlots()]
  return async ({ name, password, device }, origin) => {
    const user = await findUser(postgres, name)
    const hash = user?.passwordHash ?? null
    const deviceId = readDevice(device, hash ?? unusedHash)
    // A user without a stored hash has no known device. `unusedHash` is public, so a cookie for it could be forged.
    const known = hash === null ? null : deviceId
    const attempt = known === null ? unknownDeviceAttempt(name, origin.address) : deviceAttempt(known)
    await limitAttempts(postgres, attempt)
    const inSlot = known === null ? strangerSlots : deviceSlots
    const isRight = await inSlot(() => isPassword(password, hash ?? unusedHash)).catch(async (error: unknown) => {
      await returnAttempt(postgres, attempt)
      throw error
    })
    if (user === null || hash === null || !isRight) {
      recordRefusal(postgres, user?.userId ?? null, origin)
      return null
    }
    // This limit must come before `returnAttempt`. If a client continues after it has reached this limit, it uses up its
    // attempts. The service then computes no more hashes for it.
    await limitUserSignIns(postgres, user.userId)
    await returnAttempt(postgres, attempt)
    const identity: Identity = { userId: user.userId, provenHash: hash }
    return identity
  }
}

/**
 * The function does not wait for the write: the additional time would reveal that the name exists. The writes need no limit of
 * their own, because attempts are limited.
 */
function recordRefusal(postgres: Postgres, userId: number | null, origin: RequestOrigin): void {
  if (userId === null) return
  recordPeopleEvent(postgres, userId, 'refused', origin).catch(() => {})
}
