import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { call } from '../../kit/call.ts'
import { newSeed } from '../dice.ts'
import { pause } from '../attempt.ts'
import { openAttackedWorld, type AttackedWorld } from './attacked-world.ts'
import { openTally, sized } from './tally.ts'
import { lookForZeros } from './zeros.ts'

const slowHeaders = 200
const dribbledBodies = 50
const rounds = sized(1, 3)
const seed = newSeed()
const tally = openTally('slow clients', seed)
let attacked: AttackedWorld

beforeAll(async () => {
  attacked = await openAttackedWorld()
}, 120_000)
afterAll(() => attacked.world.close(), 60_000)

type Slow = { answer: string; seconds: number }

/** Sends the beginning at once and then a byte every half second, until the other side has had enough. */
async function dribble(beginning: string): Promise<Slow> {
  const { hostname, port } = new URL(attacked.service.addresses.api)
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

it.each(Array.from({ length: rounds }, (_, round) => round + 1))(
  `${slowHeaders} slow headers and ${dribbledBodies} dribbled bodies end in time, and hold nobody up, round %i`,
  { timeout: 120_000 },
  async (round) => {
    const head = 'GET /tests HTTP/1.1\r\nHost: a\r\nX: '
    const body =
      `POST /test_data HTTP/1.1\r\nHost: a\r\nAuthorization: ${attacked.everything}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{'
    let goesOn = true
    const slow = Promise.all([
      ...Array.from({ length: slowHeaders }, async () => ({ limit: 10, ...(await dribble(head)) })),
      ...Array.from({ length: dribbledBodies }, async () => ({ limit: 30, ...(await dribble(body)) })),
    ]).finally(() => (goesOn = false))
    let slowest = 0
    while (goesOn) {
      const startedAt = performance.now()
      const { status } = await call(`${attacked.service.addresses.api}/tests`, { token: attacked.everything })
      if (status !== 200) tally.breach('Z3', 'somebody else', `${status}`)
      slowest = Math.max(slowest, performance.now() - startedAt)
      await pause(100)
    }
    for (const { answer, seconds, limit } of await slow) {
      const what = `${answer.slice(0, 200)} after ${seconds.toFixed(1)} s`
      tally.count(answer.slice(9, 12) || 'closed')
      if (!answer.startsWith('HTTP/1.1 408 ') || !answer.includes('"code":"REQUEST_TIMEOUT"'))
        tally.breach('Z10', `limit ${limit} s`, what)
      // It is looked for once a second, and the machine is busy.
      if (seconds > limit + 3) tally.breach('Z8', `limit ${limit} s`, what)
    }
    console.log(`others waited for ${Math.round(slowest)} ms at most`)
    lookForZeros(tally, attacked.world, [attacked.everything])
    if (round === rounds) tally.report(rounds * (slowHeaders + dribbledBodies))
    expect(tally.sorts()).toEqual([])
    expect(slowest).toBeLessThan(5_000)
  },
)
