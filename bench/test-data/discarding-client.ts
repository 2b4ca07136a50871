import { connect } from 'node:net'

export type Asked = { url: string; headers: Record<string, string>; body: string }

/**
 * Sends a request over a socket, and discards the response as fast as it arrives or at a given rate. Returns the number of
 * bytes. The client always reads into the same buffer, so that the measurement shows only the cost of the sender.
 */
export function discardAnswer({ url, headers, body }: Asked, bytesPerSecond = Number.POSITIVE_INFINITY) {
  const { hostname, port, pathname, search } = new URL(url)
  const ended = Promise.withResolvers<number>()
  let bytes = 0
  let allowed = 0
  const socket = connect({
    host: hostname,
    port: Number(port),
    // A slow reader has a small buffer: with a large one, the kernel would read the data in advance.
    onread: {
      buffer: Buffer.alloc(Number.isFinite(bytesPerSecond) ? 4_096 : 1 << 20),
      callback: (length) => {
        bytes += length
        return bytes < allowed || !Number.isFinite(bytesPerSecond)
      },
    },
  })
  const timer = Number.isFinite(bytesPerSecond)
    ? setInterval(() => {
        allowed += bytesPerSecond / 10
        if (bytes < allowed) socket.resume()
      }, 100)
    : null
  socket.once('close', () => {
    if (timer !== null) clearInterval(timer)
    ended.resolve(bytes)
  })
  socket.once('error', ended.reject)
  const lines = { Host: hostname, Connection: 'close', 'Content-Length': String(Buffer.byteLength(body)), ...headers }
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`POST ${pathname}${search} HTTP/1.1\r\n${head.join('')}\r\n${body}`)
  return { ended: ended.promise, read: () => bytes, leave: () => socket.destroy() }
}
