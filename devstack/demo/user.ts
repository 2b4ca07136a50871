import { findUsers, createUser, issuePassword } from '../../src/engine/postgres/operator/users.ts'
import type { Operator } from '../../src/engine/postgres/operator/operator.ts'

export type DemoUser = { readonly name: string; readonly password: string }

const name = 'demo'

/** An administrator of the regulator, with a new password at every start: the one before was shown once. */
export async function createDemoUser(operator: Operator): Promise<DemoUser> {
  const isThere = (await findUsers(operator, 'regulator')).some((user) => user.name === name)
  const { password } = isThere
    ? await issuePassword(operator, name)
    : await createUser(operator, { organisation: 'regulator', name, role: 'administrator' })
  return { name, password }
}
