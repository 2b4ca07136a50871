import { createReadStream, type Stats } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { extract } from 'tar-stream'
import { UserFacingError } from '../../base/fault.ts'
import { expand } from '../expand.ts'

/** A file in a folder or in a tar archive. */
export type PublishedFile = {
  readonly name: string
  /** A unique path. For a file in an archive: the path of the archive, followed by the path inside it. */
  readonly path: string
  readonly bytes: number
  readonly modifiedAt: Date
  /** Yields the unpacked content. Call it at most once, and before requesting the next file. */
  readonly read: () => AsyncIterable<Uint8Array>
}

/**
 * Yields the files of a folder and its subfolders, ordered by path; or the files of a `.tar`, `.tar.gz` or `.tgz` archive, in
 * the order of the archive.
 */
export async function* publishedFiles(path: string): AsyncGenerator<PublishedFile> {
  const found = await stat(path)
  if (found.isDirectory()) yield* filesOfFolder(path)
  else if (/\.(tar|tar\.gz|tgz)$/i.test(path)) yield* filesOfArchive(path)
  else yield fileOf(path, found)
}

async function* filesOfFolder(folder: string): AsyncGenerator<PublishedFile> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  for (const path of paths.toSorted()) yield fileOf(path, await stat(path))
}

const fileOf = (path: string, { size, mtime }: Stats): PublishedFile => ({
  name: basename(path),
  path: resolve(path),
  bytes: size,
  modifiedAt: mtime,
  read: () => unpacked(path, createReadStream(path, { highWaterMark: pieceBytes })),
})

async function* filesOfArchive(archive: string): AsyncGenerator<PublishedFile> {
  const source = createReadStream(archive, { highWaterMark: pieceBytes })
  const bytes = archive.toLowerCase().endsWith('.tar') ? source : expand(source, 'gzip')
  const entries = extract()
  let fault: unknown = null
  pipeline(Readable.from(observeError(bytes, (error) => (fault = error))), entries, () => {})
  // Prefer the error of the source: the tar parser only reports an unexpected end.
  const broken = (error: unknown) =>
    fault ?? new UserFacingError(`${archive}: this is not a whole, valid archive`, error)
  try {
    for await (const entry of entries) {
      const { name, size, mtime, type } = entry.header
      const path = `${resolve(archive)}/${name}`
      const read = () => unpacked(name, mapErrors(Readable.from(entry, { objectMode: false }), broken))
      if (type === 'file') yield { name: basename(name), path, bytes: size, modifiedAt: mtime ?? new Date(0), read }
      entry.resume()
    }
  } catch (error) {
    throw broken(error)
  }
}

const pieceBytes = 1024 * 1024

const unpacked = (name: string, bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> =>
  expand(bytes, name.endsWith('.gz') ? 'gzip' : 'identity')

async function* observeError<Item>(
  items: AsyncIterable<Item>,
  onError: (error: unknown) => void,
): AsyncGenerator<Item> {
  try {
    yield* items
  } catch (error) {
    onError(error)
    throw error
  }
}

async function* mapErrors<Item>(
  items: AsyncIterable<Item>,
  toFault: (error: unknown) => unknown,
): AsyncGenerator<Item> {
  try {
    yield* items
  } catch (error) {
    throw toFault(error)
  }
}
