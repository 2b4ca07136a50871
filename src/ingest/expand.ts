import { pipeline, Readable } from 'node:stream'
import { constants, createGunzip, createZstdDecompress, type Gunzip, type ZstdDecompress } from 'node:zlib'
import { ingestLimits } from '../base/limits.ts'
import type { DeliveryEncoding } from '../check/rows/ingest-request.ts'
import { UnreadableRows } from '../engine/clickhouse/ingest/unreadable-rows.ts'

/** Of files an operator imports: four times what the usual levels of zstd use; a packer may ask for gigabytes. */
const fileWindowLogMax = 25

/** What the packed bytes say, piece by piece. */
export async function* expand(
  packed: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  encoding: DeliveryEncoding,
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
  // A pipeline, so that an error of the source ends the unpacker with it, which the loop then throws.
  pipeline(Readable.from(counted(), { objectMode: false }), unpacker, () => {})
  try {
    for await (const piece of unpacker as AsyncIterable<Buffer>) yield piece
  } catch (error) {
    if (codeOf(error) === windowTooLarge) throw tooLargeWindow(windowLogMax, error)
    throw isAboutThePacking(error) ? notWhole(encoding, error) : error
  }
  // What follows a frame and is none is passed over without a word, and everything behind it would be lost.
  if (unpacker.bytesWritten < packedBytes) throw notWhole(encoding)
}

const notWhole = (encoding: DeliveryEncoding, cause?: unknown): UnreadableRows =>
  new UnreadableRows(`This is not whole, valid ${encoding} data.`, cause)

const tooLargeWindow = (windowLogMax: number, cause: unknown): UnreadableRows =>
  new UnreadableRows(
    `The window of this zstd data is larger than ${2 ** (windowLogMax - 20)} MiB; compress it by level 19 or lower, without --long.`,
    cause,
  )

/** Hashing or copying a piece blocks the event loop, and several bodies do so in turn. */
const outputBytes = ingestLimits.sliceBytes / 4

const unpackers: Record<Exclude<DeliveryEncoding, 'identity'>, (windowLogMax: number) => Gunzip | ZstdDecompress> = {
  gzip: () => createGunzip({ chunkSize: outputBytes }),
  zstd: (windowLogMax) =>
    createZstdDecompress({ chunkSize: outputBytes, params: { [constants.ZSTD_d_windowLogMax]: windowLogMax } }),
}

const windowTooLarge = 'ZSTD_error_frameParameter_windowTooLarge'

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

const isAboutThePacking = (error: unknown): boolean => /^(Z_|ZSTD_|ERR_ZSTD)/.test(codeOf(error))
