import { Transform, type TransformCallback } from 'node:stream'
import { parseError } from '@clickhouse/client'
import { toEngineFault } from '../engine-fault.ts'

const carriageReturn = 0x0d

/**
 * Passes the engine's answer on and turns a failure in its midst into an error of the stream. Such a failure arrives inside
 * a 200, after rows: a line, a tag that is new with every answer, and the message. Bytes that may be the beginning of it
 * are held back; everything else goes through unread.
 */
export class TrailerWatch extends Transform {
  readonly #marker: Buffer
  #held: Buffer = Buffer.alloc(0)
  #trailer: Buffer[] = []
  readonly #onRows: (bytes: Buffer) => void

  /** `onRows` sees what is passed on. */
  constructor(tag: string, onRows: (bytes: Buffer) => void) {
    super()
    this.#onRows = onRows
    this.#marker = Buffer.from(`\r\n__exception__\r\n${tag}`)
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (this.#trailer.length > 0) return this.#collect(chunk, done)
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    const found = bytes.indexOf(this.#marker)
    // Rows before it are not sent either: the answer is cut.
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
   * After the message the engine breaks the connection off, which would hide the reason. Here, not in `_destroy`: whoever
   * looks at `errored` before the stream has been listened to must find the same error as the one it will emit.
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

  /** The marker begins with a carriage return, which JSON never holds outside an escape. */
  #heldLength(bytes: Buffer): number {
    const tail = bytes.subarray(-this.#marker.length)
    const found = tail.indexOf(carriageReturn)
    return found === -1 ? 0 : tail.length - found
  }

  #failure(): Error {
    return toEngineFault(parseError(Buffer.concat(this.#trailer).toString('utf8').trim()))
  }
}
