import { pipeline, Readable } from 'node:stream'
import { constants, createGunzip, createZstdDecompress, type Gunzip, type ZstdDecompress } from 'node:zlib'
import type { DeliveryEncoding } from '../check/ingest-request.ts'
import { UnreadableRows } from '../engine/clickhouse/ingest/unreadable-rows.ts'

/** What the packed bytes say, piece by piece. */
export async function* expand(
  packed: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  encoding: DeliveryEncoding,
): AsyncGenerator<Uint8Array> {
  if (encoding === 'identity') {
    yield* packed
    return
  }
  const unpacker = unpackers[encoding]()
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
    throw isAboutThePacking(error) ? notWhole(encoding, error) : error
  }
  // What follows a frame and is none is passed over without a word, and everything behind it would be lost.
  if (unpacker.bytesWritten < packedBytes) throw notWhole(encoding)
}

const notWhole = (encoding: DeliveryEncoding, cause?: unknown): UnreadableRows =>
  new UnreadableRows(`This is not whole, valid ${encoding} data.`, cause)

const outputBytes = 1024 * 1024

const unpackers: Record<Exclude<DeliveryEncoding, 'identity'>, () => Gunzip | ZstdDecompress> = {
  gzip: () => createGunzip({ chunkSize: outputBytes }),
  // A window of 32 MB is four times what the usual levels use; a packer may ask for gigabytes.
  zstd: () => createZstdDecompress({ chunkSize: outputBytes, params: { [constants.ZSTD_d_windowLogMax]: 25 } }),
}

const isAboutThePacking = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(Z_|ZSTD_|ERR_ZSTD)/.test(String(error.code))
