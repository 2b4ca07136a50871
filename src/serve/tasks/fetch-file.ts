import { randomUUID } from 'node:crypto'
import { constants, createWriteStream } from 'node:fs'
import { copyFile, link, rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { OperatorError } from '../../engine/postgres/operator/operator.ts'

export const fileIsThere = (path: string): OperatorError => new OperatorError(`There is a file ${path} already.`)

/** Under its name when it is whole, and not before. */
export async function fetchFile(
  url: string,
  path: string,
  bytes: number | null,
  linkTo: typeof link = link,
): Promise<void> {
  const { body, status } = await fetch(url)
  if (status !== 200 || body === null) throw new OperatorError(`The storage answered ${status} for the link.`)
  // A name of its own: somebody else may be fetching to the same path.
  const part = `${path}.${randomUUID()}.part`
  try {
    await pipeline(Readable.fromWeb(body), createWriteStream(part, { flags: 'wx' }))
    const { size } = await stat(part)
    if (size !== bytes) throw new OperatorError(`The storage sent ${size} bytes of ${bytes}. Try again.`)
    await publish(part, path, linkTo)
  } finally {
    await rm(part, { force: true })
  }
}

/** What file systems without hard links answer: FAT, some network shares, some of user space. */
const linkless = new Set(['EPERM', 'ENOTSUP', 'ENOSYS'])

/** By a link, because renaming would replace what somebody else has put there meanwhile. */
async function publish(part: string, path: string, linkTo: typeof link): Promise<void> {
  try {
    await linkTo(part, path).catch((error: unknown) => {
      if (!linkless.has(codeOf(error))) throw error
      return copyFile(part, path, constants.COPYFILE_EXCL)
    })
  } catch (error) {
    throw codeOf(error) === 'EEXIST' ? fileIsThere(path) : error
  }
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')
