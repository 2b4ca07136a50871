import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'

/** `sl: local:port remote:port state tx_queue:rx_queue …`, all hexadecimal. */
const line = /^ *\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]{2} ([0-9A-F]{8}):/gm

/** One look for everybody who asks at about the same time: ten thousand connections are 10 ms of reading. */
const lookedAgoMaxMs = 200
let lookedAt = Number.NEGATIVE_INFINITY
let look = Promise.resolve(new Map<string, number>())

/**
 * Bytes of a connection that the kernel has taken from us and the other side has not acknowledged. Node cannot tell, and
 * cannot bound them: it hears of a caller only when a third of the kernel's buffer is free again, and at 10 KB a second
 * that takes minutes of a buffer of 4 MB. Linux only; elsewhere always 0, and such a slow caller is taken for a silent one.
 * Connections that share both ports are counted as one, which can only hide that one of them is silent.
 */
export async function unacknowledgedBytes({ localPort, remotePort }: Socket): Promise<number> {
  if (performance.now() - lookedAt > lookedAgoMaxMs) {
    lookedAt = performance.now()
    look = readQueues()
  }
  return (await look).get(`${localPort} ${remotePort}`) ?? 0
}

async function readQueues(): Promise<Map<string, number>> {
  const tables = await Promise.all(
    ['/proc/self/net/tcp', '/proc/self/net/tcp6'].map((path) => readFile(path, 'latin1').catch(() => '')),
  )
  const queues = new Map<string, number>()
  for (const [, local = '', remote = '', queue = ''] of tables.join('').matchAll(line)) {
    const key = `${Number.parseInt(local, 16)} ${Number.parseInt(remote, 16)}`
    queues.set(key, (queues.get(key) ?? 0) + Number.parseInt(queue, 16))
  }
  return queues
}
