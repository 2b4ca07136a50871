import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { constants, gzipSync, zstdCompressSync } from 'node:zlib'

/**
 * The task of this worker thread. The sender has its own thread, so that its CPU time does not make the service look
 * slow. Each message to the thread starts the attack once.
 */
export type Attack = {
  readonly address: string
  readonly token: string
  readonly bombs: readonly BombName[]
  /**
   * The number of concurrent senders. A sender waits for its response and then for the time in `Retry-After` before it
   * sends again. All senders disconnect after `milliseconds`.
   */
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
  /** Decompresses to ten thousand times its size. */
  zstd: () => zstdBomb(21),
  /** Needs a decompression window of 32 MiB. */
  window: () => zstdBomb(25),
  /** Decompresses to 284 times its size. The service refuses it only after it has decompressed most of it. */
  gzip: () => ({ encoding: 'gzip', rows: times(gzipSync(Buffer.alloc(megabyte, rejected))) }),
  /** Decompresses to a hundred times its size, which the service permits. */
  allowed: () => {
    const salt = rowOf(randomBytes(4_500).toString('hex'))
    return { encoding: 'zstd', rows: times(zstdCompressSync(`${salt}${rejected.repeat(megabyte / rejected.length)}`)) }
  },
  /**
   * Decompresses to 2 MB. Up to this size any compression ratio is permitted. The service stores the body within a
   * second.
   */
  small: () => zstdBomb(21, 2),
} satisfies Record<string, () => Bomb>

export type BombName = keyof typeof bombs

/**
 * Returns the status of the response, or '' if the sender disconnects before the response. A random first row makes
 * each body different.
 */
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
