import { setImmediate } from 'node:timers/promises'
import { callerLeft, Fault } from '../base/fault.ts'
import { ingestLimits } from '../base/limits.ts'
import type { DeliveryEncoding } from '../check/rows/ingest-request.ts'
import { expand } from './expand.ts'

const mebibyte = 1024 * 1024

/** A request's body as it arrived. */
export type PackedBody = {
  readonly parts: readonly Uint8Array[]
  readonly bytes: number
  readonly encoding: DeliveryEncoding
}

/** Unpacks a body piece by piece until the sender leaves or the body has grown beyond what its packed size allows. */
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
    // Parts of a plain body follow one another as microtasks, which would keep the event loop from everything else.
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
