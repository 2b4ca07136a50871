import { pipeline, Readable, type Transform } from 'node:stream'
import { constants, createGunzip, createZstdDecompress } from 'node:zlib'
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
  // A pipeline, so that an error of the source ends the unpacker with it, which the loop then throws.
  pipeline(Readable.from(packed, { objectMode: false }), unpacker, () => {})
  try {
    for await (const piece of unpacker as AsyncIterable<Buffer>) yield piece
  } catch (error) {
    throw isAboutThePacking(error) ? new UnreadableRows(`This is not whole, valid ${encoding} data.`, error) : error
  }
}

const outputBytes = 1024 * 1024

const unpackers: Record<Exclude<DeliveryEncoding, 'identity'>, () => Transform> = {
  gzip: () => createGunzip({ chunkSize: outputBytes }),
  // A window of 32 MB is four times what the usual levels use; a packer may ask for gigabytes.
  zstd: () => createZstdDecompress({ chunkSize: outputBytes, params: { [constants.ZSTD_d_windowLogMax]: 25 } }),
}

const isAboutThePacking = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(Z_|ZSTD_|ERR_ZSTD)/.test(String(error.code))
