import { connect } from 'node:net'

/** Writes bytes to a socket as they are and answers everything that came back until the other side hung up. */
export function rawExchange(address: string, request: string): Promise<string> {
  const { hostname, port } = new URL(address)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(Number(port), hostname, () => socket.write(request))
    socket.on('data', (chunk) => chunks.push(Buffer.from(chunk)))
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')))
    // A reset after the answer is the server's way to refuse the rest of the request.
    socket.on('error', (error) => (chunks.length > 0 ? undefined : reject(error)))
    socket.setTimeout(20_000, () => socket.destroy())
  })
}
