import { peopleLimits } from '../../base/limits.ts'
import { FieldFaults, isObject, messages } from '../field-faults.ts'

/** A check constraint in PostgreSQL enforces the same rule. */
export const userName = /^[!-~]{1,254}$/

export type SignInRequest = { readonly name: string; readonly password: string }

export function checkSignInRequest(body: unknown): SignInRequest {
  const [name = '', password = ''] = checkTexts(body, ['name', 'password'], (values, faults) => {
    // A name that cannot exist is not looked up, and does not count as a failed sign-in.
    if (!userName.test(values[0] ?? '')) {
      faults.add('name', 'This value should be 1 to 254 characters of ASCII without spaces.')
    }
  })
  return { name, password }
}

export type PasswordChange = { readonly current: string; readonly next: string }

export function checkPasswordChange(body: unknown): PasswordChange {
  const [current = '', next = ''] = checkTexts(body, ['current', 'new'], (values, faults) => {
    if ((values[1] ?? '').length < peopleLimits.passwordCharactersMin) {
      faults.add('new', `This value should be at least ${peopleLimits.passwordCharactersMin} characters.`)
    } else if (values[0] === values[1]) faults.add('new', 'This value should differ from the current password.')
  })
  return { current, next }
}

function checkTexts(
  body: unknown,
  names: readonly string[],
  judge: (values: readonly string[], faults: FieldFaults) => void = () => {},
): string[] {
  const faults = new FieldFaults()
  if (!isObject(body)) {
    faults.add('body', messages.type('object'))
    faults.throwIfAny()
    return []
  }
  faults.addUnexpected(body, names)
  const values = names.map((name) => checkText(body[name], name, faults))
  faults.throwIfAny()
  judge(values, faults)
  faults.throwIfAny()
  return values
}

function checkText(value: unknown, name: string, faults: FieldFaults): string {
  if (value === undefined) faults.add(name, messages.missing)
  else if (typeof value !== 'string') faults.add(name, messages.type('string'))
  else if (value.length > peopleLimits.credentialCharactersMax) {
    faults.add(name, `This value should be at most ${peopleLimits.credentialCharactersMax} characters.`)
  } else return value
  return ''
}
