import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import type { Dice } from '../dice.ts'

export type Break = {
  readonly direction: 'to the store' | 'from the store'
  /** Number of bytes that the proxy forwards before it breaks the connection. */
  readonly after: number
  readonly how: 'cut' | 'reset' | 'delay' | 'stall'
}

/** Number of bytes in each direction. */
export type Sizes = Readonly<Record<Break['direction'], number>>

export type BreakingProxy = {
  /** The client whose connections the proxy breaks. */
  readonly name: string
  readonly port: number
  /** Makes the proxy break the connection that carries the given byte, counted from now. */
  readonly arm: (wanted: Break) => void
  /**
   * Closes the connections that the proxy holds back. Returns true if the proxy has broken a connection since `arm`.
   */
  readonly disarm: () => boolean
  /** The number of bytes that the proxy has forwarded. */
  readonly seen: () => Sizes
  readonly close: () => Promise<void>
}

/**
 * A proxy between a client and a store that breaks a connection at a given byte. If `gently` is true, the proxy always
 * closes the store's side normally. The development ClickHouse is a library, and it exits if a connection is reset
 * during the head of a request. The vendor's server does not exit.
 */
export async function openBreakingProxy(
  storeUrl: string,
  { name = 'service', gently = false }: { name?: string; gently?: boolean } = {},
): Promise<BreakingProxy> {
  const { hostname, port: storePort } = new URL(storeUrl)
  const sockets = new Set<Socket>()
  const stores = new Set<Socket>()
  const leave = (socket: Socket, how: 'end' | 'reset') => {
    if (gently && stores.has(socket)) {
      socket.removeAllListeners('data')
      socket.resume()
      socket.end()
    } else if (how === 'reset') socket.resetAndDestroy()
    else socket.destroy()
  }
  const held = new Set<() => void>()
  const seen = { 'to the store': 0, 'from the store': 0 }
  let armed: { wanted: Break; left: number } | null = null
  let isBroken = false

  const forward = (from: Socket, to: Socket, direction: Break['direction']) => {
    from.on('data', (chunk: Buffer) => {
      seen[direction] += chunk.length
      if (armed?.wanted.direction === direction && chunk.length >= armed.left) {
        const { wanted, left } = armed
        armed = null
        isBroken = true
        to.write(chunk.subarray(0, left))
        breakOff(wanted.how, from, to, chunk.subarray(left))
        return
      }
      if (armed?.wanted.direction === direction) armed.left -= chunk.length
      if (!to.write(chunk)) {
        from.pause()
        to.once('drain', () => from.resume())
      }
    })
    from.on('end', () => to.end())
    from.on('error', () => leave(to, 'end'))
    from.on('close', () => {
      sockets.delete(from)
      stores.delete(from)
      leave(to, 'end')
    })
  }
  const breakOff = (how: Break['how'], from: Socket, to: Socket, rest: Buffer) => {
    from.pause()
    if (how === 'cut') {
      to.end()
      leave(from, 'end')
    } else if (how === 'reset') {
      leave(to, 'reset')
      leave(from, 'reset')
    } else if (how === 'delay') {
      setTimeout(() => {
        to.write(rest)
        from.resume()
      }, 300)
    } else {
      held.add(() => {
        leave(to, 'reset')
        leave(from, 'reset')
      })
    }
  }
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const store = connect({ host: hostname, port: Number(storePort), allowHalfOpen: true })
    sockets.add(client).add(store)
    stores.add(store)
    forward(client, store, 'to the store')
    forward(store, client, 'from the store')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    name,
    port: (server.address() as AddressInfo).port,
    arm: (wanted) => {
      isBroken = false
      armed = { wanted, left: wanted.after }
    },
    disarm: () => {
      armed = null
      for (const release of held) release()
      held.clear()
      return isBroken
    },
    seen: () => ({ ...seen }),
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

export const throughProxy = (url: string, { port }: BreakingProxy): string => {
  const changed = new URL(url)
  changed.port = String(port)
  return changed.href
}

/**
 * Chooses at which byte and how the proxy breaks a connection: usually a cut or a reset. `sizes` says how many bytes
 * the work sends and receives. Delays and stalled connections do not count as breaks. Stalled connections are rare,
 * because each takes half a minute or more.
 */
export function rollBreak(dice: Dice, sizes: Sizes): Break {
  const at = dice.between(0, sizes['to the store'] + sizes['from the store'])
  const isRequest = at <= sizes['to the store']
  const percent = dice.between(1, 100)
  const how = percent === 1 ? 'stall' : percent <= 6 ? 'delay' : dice.pick(['cut', 'reset'] as const)
  const after = isRequest ? at : at - sizes['to the store']
  return { direction: isRequest ? 'to the store' : 'from the store', after, how }
}
