import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { constants, gzipSync, zstdCompressSync } from 'node:zlib'

/** Run in a thread of its own: what it costs to send must not count as the service's slowness. Sends at each message. */
export type Attack = {
  readonly address: string
  readonly token: string
  readonly bombs: readonly BombName[]
  /** Each sends again when it is answered, as late as `Retry-After` says, and all hang up after so long. */
  readonly senders: number
  readonly milliseconds: number
}

type Bomb = { readonly encoding: 'gzip' | 'zstd'; readonly rows: Buffer }

const megabyte = 1024 * 1024
const unpackedMegabytes = 480
const rowOf = (agent: string): string =>
  `{"agent_id":"${agent}","dtime":"2026-01-05 10:00:00.000","target":"server","rtt_avg":12000,"successes":5,"failures":0}\n`
const rejected = rowOf('nobody')
const times = (member: Buffer): Buffer => Buffer.concat(Array<Buffer>(unpackedMegabytes).fill(member))

function zstdBomb(windowLog: number, megabytes = unpackedMegabytes): Bomb {
  const params = { [constants.ZSTD_c_windowLog]: windowLog }
  return { encoding: 'zstd', rows: zstdCompressSync(Buffer.alloc(megabytes * megabyte, rejected), { params }) }
}

const bombs = {
  /** Ten thousandth of its size. */
  zstd: () => zstdBomb(21),
  /** With a window of 32 MiB. */
  window: () => zstdBomb(25),
  /** A 284th: refused only after most of it is unpacked. */
  gzip: () => ({ encoding: 'gzip', rows: times(gzipSync(Buffer.alloc(megabyte, rejected))) }),
  /** A hundredth, as rows may be packed. */
  allowed: () => {
    const salt = rowOf(randomBytes(4_500).toString('hex'))
    return { encoding: 'zstd', rows: times(zstdCompressSync(`${salt}${rejected.repeat(megabyte / rejected.length)}`)) }
  },
  /** Small enough to be packed to any ratio, and stored in a second. */
  small: () => zstdBomb(21, 2),
} satisfies Record<string, () => Bomb>

export type BombName = keyof typeof bombs

/** The status it is answered with, or nothing when it hangs up before. Its first row makes it another body each time. */
function send({ address, token }: Attack, { encoding, rows }: Bomb, endsAt: number): Promise<string> {
  const { hostname, port } = new URL(address)
  const salt = rowOf(randomBytes(8).toString('hex'))
  const first = encoding === 'gzip' ? gzipSync(salt) : zstdCompressSync(salt)
  const head = [
    'POST /ingest/ping HTTP/1.1',
    'Host: a',
    `Authorization: ${token}`,
    'Content-Type: application/x-ndjson',
    `Content-Encoding: ${encoding}`,
    `Content-Length: ${first.length + rows.length}`,
  ]
  return new Promise((resolve) => {
    let status = ''
    const socket = connect(Number(port), hostname)
    const timer = setTimeout(() => socket.destroy(), Math.max(1, endsAt - performance.now()))
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      status ||= String(chunk).slice(9, 12)
      socket.destroy()
    })
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(status)
    })
    for (const bytes of [`${head.join('\r\n')}\r\n\r\n`, first, rows]) socket.write(bytes)
  })
}

const attack = workerData as Attack
const bodies = attack.bombs.map((name) => bombs[name]())

async function sendAll(): Promise<string[]> {
  const endsAt = performance.now() + attack.milliseconds
  const statuses: string[] = []
  const senders = Array.from({ length: attack.senders }, async (_, index) => {
    const bomb = bodies[index % bodies.length]
    while (bomb !== undefined && performance.now() < endsAt) {
      const status = await send(attack, bomb, endsAt)
      statuses.push(status)
      await pause(status === '429' ? 1_000 : 50)
    }
  })
  await Promise.all(senders)
  return statuses
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
const tell = (what: unknown) => parentPort?.postMessage(what)
parentPort?.on('message', () => void sendAll().then(tell))
tell('ready')
