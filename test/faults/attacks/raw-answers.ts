import { connect } from 'node:net'

export type RawOutcome = { bytes: Buffer; end: 'closed' | 'reset' | 'late' }

/** Writes the bytes in the given pieces. Returns everything received until the server closes the connection. */
export function sendBytes(
  origin: string,
  pieces: readonly Buffer[],
  lateMs: number,
  retryForMs = 400,
): Promise<RawOutcome> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let end: RawOutcome['end'] = 'closed'
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true }, () => {
      for (const piece of pieces) socket.write(piece)
      patience.refresh()
    })
    // If the client closed its side at once, it would get no response. It closes its side after this time, so that a
    // server that waits for more bytes sees the end of the request.
    const patience = setTimeout(() => socket.end(), retryForMs)
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      patience.refresh()
    })
    socket.on('end', () => socket.destroy())
    socket.on('error', () => (end = 'reset'))
    socket.setTimeout(lateMs, () => {
      end = 'late'
      socket.destroy()
    })
    socket.on('close', () => {
      clearTimeout(patience)
      resolve({ bytes: Buffer.concat(chunks), end })
    })
  })
}

export type RawAnswer = { status: number; headers: ReadonlyMap<string, string>; body: string }

/**
 * Parses the HTTP responses in a stream of bytes. Throws if the bytes are not HTTP. No response may belong to a HEAD
 * request.
 */
export function readAnswers(bytes: Buffer): RawAnswer[] {
  const answers: RawAnswer[] = []
  let rest = bytes
  while (rest.length > 0) {
    const headEnd = rest.indexOf('\r\n\r\n')
    if (headEnd < 0) throw new Error(`a head without an end: ${rest.toString('latin1', 0, 100)}`)
    const [line = '', ...lines] = rest.toString('latin1', 0, headEnd).split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3})(?: |$)/.exec(line)?.[1])
    if (!(status >= 100)) throw new Error(`not a status line: ${line.slice(0, 100)}`)
    const headers = new Map(lines.map((one) => [one.split(':')[0]?.toLowerCase() ?? '', one.replace(/^[^:]*:\s*/, '')]))
    const taken = takeBody(rest.subarray(headEnd + 4), status, headers)
    if (status >= 200) answers.push({ status, headers, body: taken.body })
    rest = taken.rest
  }
  return answers
}

function takeBody(bytes: Buffer, status: number, headers: ReadonlyMap<string, string>): { body: string; rest: Buffer } {
  if (status < 200 || status === 204 || status === 304) return { body: '', rest: bytes }
  if (headers.get('transfer-encoding') === 'chunked') return takeChunks(bytes)
  const length = Number(headers.get('content-length'))
  if (!(bytes.length >= length)) throw new Error(`${bytes.length} of ${length} bytes of a body`)
  return { body: bytes.toString('utf8', 0, length), rest: bytes.subarray(length) }
}

function takeChunks(bytes: Buffer): { body: string; rest: Buffer } {
  const parts: Buffer[] = []
  let rest = bytes
  for (;;) {
    const lineEnd = rest.indexOf('\r\n')
    const size = Number.parseInt(rest.toString('latin1', 0, lineEnd), 16)
    if (lineEnd < 0 || Number.isNaN(size)) throw new Error('a chunk without a size')
    parts.push(rest.subarray(lineEnd + 2, lineEnd + 2 + size))
    rest = rest.subarray(lineEnd + 4 + size)
    if (size === 0) return { body: Buffer.concat(parts).toString('utf8'), rest }
  }
}
