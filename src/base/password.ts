import { argon2, timingSafeEqual } from 'node:crypto'

/**
 * Parameters of Argon2id: OWASP's first recommendation, with 46 MiB, one pass and one lane. They can be raised at any time,
 * because each stored hash contains its own parameters.
 */
const parameters = { memory: 47_104, passes: 1, parallelism: 1 }
const tagLength = 32
export const saltBytes = 16

const derive = (password: string, salt: Uint8Array, cost: typeof parameters): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    // Unicode can compose the same characters in different ways. After normalisation they are the same password.
    const message = Buffer.from(password.normalize('NFC'), 'utf8')
    argon2('argon2id', { message, nonce: salt, tagLength, ...cost }, (error, tag) =>
      error === null ? resolve(tag) : reject(error),
    )
  })

/** Returns the hash in the standard PHC format: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
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

/**
 * If the user name is unknown, the password is compared with this hash, so that the response takes as long as for a known user
 * name.
 */
export const unusedHash = `$argon2id$v=19$m=${parameters.memory},t=${parameters.passes},p=${parameters.parallelism}$${base64(new Uint8Array(saltBytes))}$${base64(new Uint8Array(tagLength))}`

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('=', '')
}
