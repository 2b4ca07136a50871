import { pipeline, Readable } from 'node:stream'
import { constants, createGunzip, createZstdDecompress, type Gunzip, type ZstdDecompress } from 'node:zlib'
import { setImmediate } from 'node:timers/promises'
import { ingestLimits } from '../base/limits.ts'
import type { IngestEncoding } from '../check/rows/ingest-request.ts'
import { UnreadableRows } from '../engine/clickhouse/ingest/unreadable-rows.ts'
import { callerLeft, Fault } from '../base/fault.ts'

/**
 * Maximum window of zstd files that an operator imports: four times the window of the usual compression levels. Without a
 * limit, a file could require gigabytes of memory.
 */
const fileWindowLogMax = 25

export async function* expand(
  packed: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  encoding: IngestEncoding,
  windowLogMax: number = fileWindowLogMax,
): AsyncGenerator<Uint8Array> {
  if (encoding === 'identity') {
    yield* packed
    return
  }
  const unpacker = unpackers[encoding](windowLogMax)
  let packedBytes = 0
  const counted = async function* () {
    for await (const piece of packed) {
      packedBytes += piece.length
      yield piece
    }
  }
  // `pipeline` passes an error of the source to the unpacker, and the loop below throws it.
  pipeline(Readable.from(counted(), { objectMode: false }), unpacker, () => {})
  try {
    for await (const piece of unpacker as AsyncIterable<Buffer>) yield piece
  } catch (error) {
    if (codeOf(error) === windowTooLarge) throw tooLargeWindow(windowLogMax, error)
    throw isCompressionError(error) ? notWhole(encoding, error) : error
  }
  // Node silently ignores bytes after the last valid frame. Rows in these bytes would be lost.
  if (unpacker.bytesWritten < packedBytes) throw notWhole(encoding)
}

const notWhole = (encoding: IngestEncoding, cause?: unknown): UnreadableRows =>
  new UnreadableRows(`This is not whole, valid ${encoding} data.`, cause)

const tooLargeWindow = (windowLogMax: number, cause: unknown): UnreadableRows =>
  new UnreadableRows(
    `The window of this zstd data is larger than ${2 ** (windowLogMax - 20)} MiB; compress it by level 19 or lower, without --long.`,
    cause,
  )

/**
 * Size of unpacked chunks. It is small because hashing or copying a chunk blocks the event loop, and several requests do so one
 * after the other.
 */
const outputBytes = ingestLimits.sliceBytes / 4

const unpackers: Record<Exclude<IngestEncoding, 'identity'>, (windowLogMax: number) => Gunzip | ZstdDecompress> = {
  gzip: () => createGunzip({ chunkSize: outputBytes }),
  zstd: (windowLogMax) =>
    createZstdDecompress({ chunkSize: outputBytes, params: { [constants.ZSTD_d_windowLogMax]: windowLogMax } }),
}

const windowTooLarge = 'ZSTD_error_frameParameter_windowTooLarge'

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

const isCompressionError = (error: unknown): boolean => /^(Z_|ZSTD_|ERR_ZSTD)/.test(codeOf(error))

const mebibyte = 1024 * 1024

/** The body of a request as received, possibly compressed. */
export type PackedBody = {
  readonly parts: readonly Uint8Array[]
  readonly bytes: number
  readonly encoding: IngestEncoding
}

/** Unpacks a body. Throws if the sender has left, or if the unpacked body is larger than its packed size allows. */
export async function* unpackBody(
  { parts, bytes: packedBytes, encoding }: PackedBody,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const bytesMax = unpackedBytesMax(packedBytes)
  let bytes = 0
  let bytesSinceYield = 0
  for await (const piece of expand(parts, encoding, ingestLimits.windowLogMax)) {
    if (signal.aborted) throw callerLeft()
    bytes += piece.length
    if (encoding !== 'identity' && bytes > bytesMax) throw unpacksToTooMuch(bytesMax)
    yield piece
    bytesSinceYield += piece.length
    if (bytesSinceYield < ingestLimits.sliceBytes) continue
    bytesSinceYield = 0
    // Let the event loop run: the parts of an uncompressed body are available at once and would block it.
    await setImmediate()
  }
}

const unpackedBytesMax = (packedBytes: number): number =>
  Math.min(ingestLimits.unpackedBytesMax, Math.max(ingestLimits.anyRatioBytesMax, packedBytes * ingestLimits.ratioMax))

const unpacksToTooMuch = (bytesMax: number): Fault =>
  new Fault('PAYLOAD_TOO_LARGE', {
    message:
      bytesMax === ingestLimits.unpackedBytesMax
        ? `The request body is larger than ${inMebibytes(bytesMax)} MiB when it is unpacked; send fewer rows at a time.`
        : `The request body is larger than ${inMebibytes(ingestLimits.anyRatioBytesMax)} MiB and more than ${ingestLimits.ratioMax} times its size when it is unpacked; send fewer rows at a time, or compress less.`,
  })

const inMebibytes = (bytes: number): number => bytes / mebibyte
