import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { limits } from '../../base/limits.ts'
import type { Observe } from '../../base/observe.ts'
import type { Streamed } from '../../envelope/streamed.ts'
import { mustClose, observeFault, toFault } from '../answer.ts'
import { chooseEncoding, type Compressor, type ContentEncoding } from './content-encoding.ts'
import { isSentCompletely, observeEnd } from '../observe-requests.ts'
import { resetConnection } from './cut-connections.ts'
import { storeUnavailable } from '../../base/fault.ts'

/**
 * Streams rows inside the envelope without buffering them. So a slow caller slows down the query in ClickHouse, and the query
 * ends when the caller disconnects. An error after the first byte resets the connection, so a partial response never looks
 * complete.
 */
export function sendStream(
  observe: Observe,
  request: FastifyRequest,
  reply: FastifyReply,
  { before, rows, after }: Streamed<Readable>,
): void {
  // Nothing is sent yet, so the caller can still get an error response.
  if (rows.errored !== null) throw rows.errored
  const encoding = chooseEncoding(request.headers['accept-encoding'])
  const { raw } = reply.hijack()
  const compressor = encoding?.create() ?? null
  rows.once('error', (error) => {
    observeFault(observe, request, toFault(error, request))
    breakOff(raw)
  })
  raw.once('close', () => {
    if (!isSentCompletely(reply))
      observeEnd(observe, request, reply, rows.errored === null ? 'caller-left' : 'engine-failed')
    rows.destroy()
    compressor?.destroy()
  })
  watchForSilence(rows)
  writeHead(reply, encoding)
  pass(rows, compressor === null ? raw : compressInto(raw, compressor, rows), before, after)
}

/** Does not use `pipeline`: on an error, it would end an unfinished response like a finished one. */
function pass(rows: Readable, target: NodeJS.WritableStream, before: string, after: string): void {
  target.write(before)
  rows.on('data', ({ length }: Buffer) => collectYoungGarbage(length))
  rows.once('end', () => void target.end(after))
  rows.pipe(target, { end: false })
}

/** A compressor keeps data until a block is full. The timer flushes it when rows arrive slowly. */
function compressInto(raw: ServerResponse, compressor: Compressor, rows: Readable): Compressor {
  const idle = setTimeout(() => compressor.flush(), limits.compressorFlushMs)
  rows.on('data', () => idle.refresh())
  compressor.once('close', () => clearTimeout(idle))
  compressor.once('error', (error) => rows.destroy(error))
  compressor.pipe(raw)
  return compressor
}

/** Sets all headers of the response: Fastify sets none and runs no hooks for a hijacked reply. */
function writeHead(reply: FastifyReply, encoding: ContentEncoding | null): void {
  const vary = ['Accept-Encoding', reply.getHeader('vary') ?? []].flat().join(', ')
  if (!reply.hasHeader('content-type')) reply.header('content-type', 'application/json; charset=utf-8')
  reply.header('vary', vary)
  if (mustClose(reply)) reply.header('connection', 'close')
  if (encoding !== null) reply.header('content-encoding', encoding.name)
  for (const [name, value] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, value ?? '')
  reply.raw.writeHead(200)
}

/** Both the connection and the response must end: a pipelined response has no socket until the response before it ends. */
function breakOff(raw: ServerResponse): void {
  resetConnection(raw.req.socket)
  raw.destroy()
}

/**
 * Destroys the stream if no rows arrive while the caller is ready to read. In this case ClickHouse hangs, or the network to
 * ClickHouse is broken.
 */
export function watchForSilence(rows: Readable, limitMs: number = limits.stallTimeoutMs): void {
  const timer = setTimeout(() => {
    // The caller reads slowly. `cutStalled` handles that case.
    if (rows.isPaused()) timer.refresh()
    else rows.destroy(storeUnavailable('ClickHouse', new Error(`no row for ${limitMs} ms`)))
  }, limitMs)
  const refresh = () => void timer.refresh()
  rows.on('data', refresh).on('resume', refresh)
  rows.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer))
}

setFlagsFromString('--expose-gc')
const collect: unknown = runInNewContext('gc')

const bytesMax = 8 * 1024 * 1024
let bytes = 0

/**
 * Runs a minor garbage collection for every 8 MB streamed, which takes a third of a millisecond. Node reads every 64 KB of a
 * socket into a new buffer, but V8 counts only the small object that refers to the buffer. Without this function, V8 would run
 * a full collection for every 20 MB. Those collections would take more than half of the streaming time.
 */
function collectYoungGarbage(passed: number): void {
  bytes += passed
  if (bytes < bytesMax || typeof collect !== 'function') return
  bytes = 0
  collect({ type: 'minor' })
}
