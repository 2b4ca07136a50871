import { connect } from 'node:net'

/** Writes raw bytes to a socket and returns everything received until the server closes the connection. */
export function rawExchange(address: string, request: string): Promise<string> {
  const { hostname, port } = new URL(address)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(Number(port), hostname, () => socket.write(request))
    socket.on('data', (chunk) => chunks.push(Buffer.from(chunk)))
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')))
    // After its response, the server may reset the connection to refuse the rest of the request. That is not a failure.
    socket.on('error', (error) => (chunks.length > 0 ? undefined : reject(error)))
    socket.setTimeout(20_000, () => socket.destroy())
  })
}
