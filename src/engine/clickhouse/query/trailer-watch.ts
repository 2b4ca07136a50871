import { Transform, type TransformCallback } from 'node:stream'
import { parseError } from '@clickhouse/client'
import { toEngineFault } from '../engine-fault.ts'

const carriageReturn = 0x0d

/**
 * Forwards ClickHouse's response, and turns a failure in the middle of it into a stream error. ClickHouse reports such a
 * failure after the rows, in a response with status 200: a line, a tag that is unique to the response, and the message. Bytes
 * that could be the beginning of this line are held back. All other bytes are forwarded unparsed.
 */
export class TrailerWatch extends Transform {
  readonly #marker: Buffer
  #held: Buffer = Buffer.alloc(0)
  #trailer: Buffer[] = []
  readonly #onRows: (bytes: Buffer) => void

  /** `onRows` is called with the bytes that are forwarded. */
  constructor(tag: string, onRows: (bytes: Buffer) => void) {
    super()
    this.#onRows = onRows
    this.#marker = Buffer.from(`\r\n__exception__\r\n${tag}`)
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (this.#trailer.length > 0) return this.#collect(chunk, done)
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    const found = bytes.indexOf(this.#marker)
    // Also drops the rows that stand before the marker in these bytes: the response is incomplete in any case.
    if (found !== -1) return this.#collect(bytes.subarray(found + this.#marker.length), done)
    const sent = bytes.length - this.#heldLength(bytes)
    this.#held = bytes.subarray(sent)
    this.#pass(bytes.subarray(0, sent), done)
  }

  override _flush(done: TransformCallback): void {
    if (this.#trailer.length > 0) done(this.#failure())
    else this.#pass(this.#held, done)
  }

  /**
   * ClickHouse closes the connection after the message. The error of the closed connection would hide the message, so this
   * method replaces it. `_destroy` would be too late: code that reads `errored` before the stream emits `error` must find the
   * same error.
   */
  override destroy(error?: Error): this {
    return super.destroy(this.#trailer.length > 0 ? this.#failure() : error && toEngineFault(error))
  }

  #pass(bytes: Buffer, done: TransformCallback): void {
    this.#onRows(bytes)
    done(null, bytes)
  }

  #collect(bytes: Buffer, done: TransformCallback): void {
    this.#trailer.push(bytes)
    done()
  }

  /** Returns how many bytes at the end could be the beginning of the marker. */
  #heldLength(bytes: Buffer): number {
    const tail = bytes.subarray(-this.#marker.length)
    for (let at = tail.indexOf(carriageReturn); at !== -1; at = tail.indexOf(carriageReturn, at + 1)) {
      const length = tail.length - at
      if (tail.compare(this.#marker, 0, length, at) === 0) return length
    }
    return 0
  }

  #failure(): Error {
    return toEngineFault(parseError(Buffer.concat(this.#trailer).toString('utf8').trim()))
  }
}
