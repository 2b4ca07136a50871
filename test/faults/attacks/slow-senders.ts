import { once } from 'node:events'
import { connect } from 'node:net'
import type { Tally } from './tally.ts'

const headers = 200
const bodies = 50
export const slowSenders = headers + bodies

/**
 * Sends heads and bodies of requests with one byte every half second. The service must answer each with 408 in time.
 */
export async function sendSlowly(address: string, token: string, tally: Tally): Promise<void> {
  const head = 'GET /tests HTTP/1.1\r\nHost: a\r\nX: '
  const body =
    `POST /test_data HTTP/1.1\r\nHost: a\r\nAuthorization: ${token}\r\n` +
    'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{'
  const slow = await Promise.all([
    ...Array.from({ length: headers }, async () => ({ limit: 10, ...(await dribble(address, head)) })),
    ...Array.from({ length: bodies }, async () => ({ limit: 30, ...(await dribble(address, body)) })),
  ])
  for (const { answer, seconds, limit } of slow) {
    const what = `${answer.slice(0, 200)} after ${seconds.toFixed(1)} s`
    tally.count(answer.slice(9, 12) || 'closed')
    if (!answer.startsWith('HTTP/1.1 408 ') || !answer.includes('"code":"REQUEST_TIMEOUT"'))
      tally.breach('Z10', `limit ${limit} s`, what)
    // The additional 3 s: the service checks once a second, and the machine is busy.
    if (seconds > limit + 3) tally.breach('Z8', `limit ${limit} s`, what)
  }
}

/** Sends the beginning at once and then one byte every half second, until the server closes the connection. */
async function dribble(address: string, beginning: string): Promise<{ answer: string; seconds: number }> {
  const { hostname, port } = new URL(address)
  const socket = connect(Number(port), hostname)
  const startedAt = performance.now()
  let answer = ''
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')))
  socket.on('error', () => {})
  socket.write(beginning)
  const timer = setInterval(() => socket.write('a'), 500)
  await once(socket, 'close')
  clearInterval(timer)
  return { answer, seconds: (performance.now() - startedAt) / 1000 }
}
