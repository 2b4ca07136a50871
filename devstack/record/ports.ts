import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

export type StackPorts = {
  postgres: number
  /** The other nodes of a stack connect to `relay`, which forwards to `tcp`. See clickhouse/relay.ts. */
  clickhouse: { http: number; tcp: number; relay: number }[]
  objects: { gateway: number; monitor: number; storageFirst: number; storageLast: number }
}

// These ports are below the kernel's range for outgoing connections, which starts at 32768. Otherwise an outgoing connection
// could take a port of a stopped stack.
const portFirst = 20_000
const portLast = 32_000

// The storage daemon listens on four ports of its range. The others are a reserve for ports that other programs take.
const storagePortCount = 12

export async function choosePostgresPort(avoid: Set<number>): Promise<StackPorts['postgres']> {
  return chooseFreeBlock(1, avoid)
}

export async function chooseClickHousePorts(avoid: Set<number>): Promise<StackPorts['clickhouse'][number]> {
  const http = await chooseFreeBlock(3, avoid)
  return { http, tcp: http + 1, relay: http + 2 }
}

export async function chooseObjectPorts(avoid: Set<number>): Promise<StackPorts['objects']> {
  const gateway = await chooseFreeBlock(2 + storagePortCount, avoid)
  return { gateway, monitor: gateway + 1, storageFirst: gateway + 2, storageLast: gateway + 1 + storagePortCount }
}

export function allPorts(ports: StackPorts): number[] {
  const { gateway, storageLast } = ports.objects
  return [
    ports.postgres,
    ...ports.clickhouse.flatMap(({ http, tcp, relay }) => [http, tcp, relay]),
    ...range(gateway, storageLast),
  ]
}

export async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen({ host: '127.0.0.1', port })
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}

/** Returns the first port of a block that is free now and not in `avoid`. Adds the block to `avoid`. */
async function chooseFreeBlock(length: number, avoid: Set<number>): Promise<number> {
  for (let attempt = 0; attempt < 500; attempt++) {
    const first = randomInt(portFirst, portLast - length)
    const block = range(first, first + length - 1)
    if (block.some((port) => avoid.has(port))) continue
    if ((await Promise.all(block.map(isFree))).includes(false)) continue
    for (const port of block) avoid.add(port)
    return first
  }
  throw new Error(`There is no block of ${length} free ports between ${portFirst} and ${portLast}.`)
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}
