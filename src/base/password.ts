import { argon2, timingSafeEqual } from 'node:crypto'

/** The first of those OWASP recommends: 46 MiB, one pass, one lane. Raise it freely: a hash keeps its own. */
const parameters = { memory: 47_104, passes: 1, parallelism: 1 }
const tagLength = 32
export const saltBytes = 16

const derive = (password: string, salt: Uint8Array, cost: typeof parameters): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    // The same letters in another composition are the same password.
    const message = Buffer.from(password.normalize('NFC'), 'utf8')
    argon2('argon2id', { message, nonce: salt, tagLength, ...cost }, (error, tag) =>
      error === null ? resolve(tag) : reject(error),
    )
  })

/** As others write it too: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
export async function hashPassword(password: string, salt: Uint8Array): Promise<string> {
  const tag = await derive(password, salt, parameters)
  const { memory, passes, parallelism } = parameters
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`
}

const form = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

export async function isPassword(password: string, stored: string): Promise<boolean> {
  const [, memory, passes, parallelism, salt = '', tag = ''] = form.exec(stored) ?? []
  if (memory === undefined) throw new Error('a stored password is in no form we know')
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  const expected = Buffer.from(tag, 'base64')
  const found = await derive(password, Buffer.from(salt, 'base64'), cost)
  return found.length === expected.length && timingSafeEqual(found, expected)
}

/** The password of nobody: comparing with it takes as long as with any, so that a name nobody has answers no sooner. */
export const nobodysHash = `$argon2id$v=19$m=${parameters.memory},t=${parameters.passes},p=${parameters.parallelism}$${base64(new Uint8Array(saltBytes))}$${base64(new Uint8Array(tagLength))}`

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('=', '')
}
