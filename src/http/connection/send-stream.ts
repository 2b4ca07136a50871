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
import { isSentWhole, observeEnd } from '../observe-requests.ts'
import { resetConnection } from './cut-connections.ts'
import { storeAway } from '../../base/fault.ts'

/**
 * Sends rows as they come, with the envelope around them. Nothing is gathered: a slow caller slows the engine's query, one
 * who leaves ends it. Whatever goes wrong after the first byte breaks the connection, so that no half can be taken for all.
 */
export function sendStream(
  observe: Observe,
  request: FastifyRequest,
  reply: FastifyReply,
  { before, rows, after }: Streamed<Readable>,
): void {
  // What has failed since its first bytes came can still be answered for.
  if (rows.errored !== null) throw rows.errored
  const encoding = chooseEncoding(request.headers['accept-encoding'])
  const { raw } = reply.hijack()
  const compressor = encoding?.create() ?? null
  rows.once('error', (error) => {
    observeFault(observe, request, toFault(error, request))
    breakOff(raw)
  })
  raw.once('close', () => {
    if (!isSentWhole(reply))
      observeEnd(observe, request, reply, rows.errored === null ? 'caller-left' : 'engine-failed')
    rows.destroy()
    compressor?.destroy()
  })
  watchForSilence(rows)
  writeHead(reply, encoding)
  pass(rows, compressor === null ? raw : compressInto(raw, compressor, rows), before, after)
}

/** Not by a pipeline: that would end an unfinished answer like a finished one where nobody listens for its errors. */
function pass(rows: Readable, target: NodeJS.WritableStream, before: string, after: string): void {
  target.write(before)
  rows.on('data', ({ length }: Buffer) => noteYoungGarbage(length))
  rows.once('end', () => void target.end(after))
  rows.pipe(target, { end: false })
}

/** A compressor keeps bytes until it has a block; rows that come slowly are sent on all the same. */
function compressInto(raw: ServerResponse, compressor: Compressor, rows: Readable): Compressor {
  const idle = setTimeout(() => compressor.flush(), limits.compressorFlushMs)
  rows.on('data', () => idle.refresh())
  compressor.once('close', () => clearTimeout(idle))
  compressor.once('error', (error) => rows.destroy(error))
  compressor.pipe(raw)
  return compressor
}

/** Fastify's own headers and hooks do not reach an answer it does not send. */
function writeHead(reply: FastifyReply, encoding: ContentEncoding | null): void {
  const vary = ['Accept-Encoding', reply.getHeader('vary') ?? []].flat().join(', ')
  reply.headers({ 'content-type': 'application/json; charset=utf-8', vary })
  if (mustClose(reply)) reply.header('connection', 'close')
  if (encoding !== null) reply.header('content-encoding', encoding.name)
  for (const [name, value] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, value ?? '')
  reply.raw.writeHead(200)
}

/** An answer that waits behind another of the same connection has no socket yet, and would get it when that one is over. */
function breakOff(raw: ServerResponse): void {
  resetConnection(raw.req.socket)
  raw.destroy()
}

/** Ends rows that have stopped coming although somebody waits for them: the engine hangs, or the way to it is broken. */
export function watchForSilence(rows: Readable, limitMs: number = limits.stallTimeoutMs): void {
  const timer = setTimeout(() => {
    // Held up by the caller, who is watched by himself.
    if (rows.isPaused()) timer.refresh()
    else rows.destroy(storeAway('ClickHouse', new Error(`no row for ${limitMs} ms`)))
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
 * To be told of bytes that have passed through. Node reads every 64 KB of a socket into a new buffer; V8 sees only the
 * small object in front of it, hardly ever looks at young ones, and pays with a full collection for every 20 MB: more
 * than half of the time that streaming took. Looking at the young ones in time takes a third of a millisecond.
 */
function noteYoungGarbage(passed: number): void {
  bytes += passed
  if (bytes < bytesMax || typeof collect !== 'function') return
  bytes = 0
  collect({ type: 'minor' })
}
