import { randomUUID } from 'node:crypto'
import { constants, createWriteStream } from 'node:fs'
import { copyFile, link, rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { OperatorError } from '../../engine/postgres/operator/operator.ts'
import type { ImportProgress } from '../../ingest/import/import-rows.ts'

export const fileIsThere = (path: string): OperatorError => new OperatorError(`The file ${path} already exists.`)

/** Downloads a file. The file gets its name only when it is complete. */
export async function fetchFile(
  url: string,
  path: string,
  bytes: number | null,
  linkTo: typeof link = link,
): Promise<void> {
  const { body, status } = await fetch(url)
  if (status !== 200 || body === null)
    throw new OperatorError(`The object storage returned the status ${status} for the link.`)
  // The temporary name is unique: another process may download to the same path.
  const part = `${path}.${randomUUID()}.part`
  try {
    await pipeline(Readable.fromWeb(body), createWriteStream(part, { flags: 'wx' }))
    const { size } = await stat(part)
    if (size !== bytes) throw new OperatorError(`The object storage sent ${size} of ${bytes} bytes. Try again.`)
    await publish(part, path, linkTo)
  } finally {
    await rm(part, { force: true })
  }
}

/** Error codes of file systems without hard links: FAT, some network shares, some FUSE file systems. */
const linkless = new Set(['EPERM', 'ENOTSUP', 'ENOSYS'])

/** Gives the file its name with a hard link. A rename would replace a file that another process has created meanwhile. */
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

/** Shows the progress of a transfer: a bar, rows, rows per second and the remaining time. */
export function showTransfer(
  stream: NodeJS.WriteStream = process.stderr,
): (label: string) => { update: (progress: ImportProgress) => void; end: () => void } {
  return (label) => {
    const startedAt = performance.now()
    let first: ImportProgress | null = null
    let shownAt = startedAt
    return {
      update: (progress) => {
        first ??= progress
        const now = performance.now()
        if (now - shownAt < (stream.isTTY ? 200 : 5_000)) return
        shownAt = now
        const text = `${label} ${line(progress, first, (now - startedAt) / 1000)}`
        stream.write(stream.isTTY ? `\r\u001B[K${text}` : `${text}\n`)
      },
      end: () => void (stream.isTTY && stream.write('\r\u001B[K')),
    }
  }
}

const barWidth = 20

function line({ rows, bytes, bytesTotal }: ImportProgress, first: ImportProgress, seconds: number): string {
  const share = bytesTotal === 0 ? 1 : bytes / bytesTotal
  const perSecond = Math.round((rows - first.rows) / Math.max(seconds, 0.001))
  const left = bytes > first.bytes ? (seconds * (bytesTotal - bytes)) / (bytes - first.bytes) : null
  const bar = '█'.repeat(Math.round(share * barWidth)).padEnd(barWidth, '░')
  return [
    `${bar} ${Math.floor(share * 100)} %`,
    `${rows.toLocaleString('en')} rows`,
    `${perSecond.toLocaleString('en')} a second`,
    left === null ? '' : `${clock(left)} left`,
  ].join('  ')
}

const clock = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`
