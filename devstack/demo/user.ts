import { findUsers, createUser, issuePassword } from '../../src/engine/postgres/operator/users.ts'
import type { Operator } from '../../src/engine/postgres/operator/operator.ts'

export type DemoUser = { readonly name: string; readonly password: string }

const name = 'demo'

/**
 * Creates an administrator of the regulator. The password is new at every start, because the previous one was shown only once.
 */
export async function createDemoUser(operator: Operator): Promise<DemoUser> {
  const isThere = (await findUsers(operator, 'regulator')).some((user) => user.name === name)
  const { password } = isThere
    ? await issuePassword(operator, name)
    : await createUser(operator, { organisation: 'regulator', name, role: 'administrator' })
  return { name, password }
}
