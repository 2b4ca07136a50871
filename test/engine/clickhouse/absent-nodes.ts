import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openClickHouse, type ClickHouse } from '../../../src/engine/clickhouse/clickhouse.ts'
import { limits } from '../../../src/base/limits.ts'
import { clickHouseOptions, readSettings } from '../../../src/serve/config.ts'
import { freePort } from '../../kit/free-port.ts'
import type { World } from '../../kit/world.ts'

/** An address where no server listens. */
export const deadAddress = async (): Promise<string> => `http://127.0.0.1:${await freePort()}`

/**
 * An address that accepts connections but answers only the first `answers` requests, like a node that has lost its
 * network.
 */
export async function silentAddress(answers = 0): Promise<AsyncDisposable & { url: string }> {
  let left = answers
  const server = createServer((_, response) => {
    left -= 1
    if (left >= 0) response.end('Ok.\n')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = async () => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: close }
}

/** ClickHouse at other addresses, with the user and the timeout of the dictionary reconciler. */
export function nodesAt(world: World, urls: readonly string[]): AsyncDisposable & Pick<ClickHouse, 'nodes'> {
  const options = clickHouseOptions(readSettings(world.environment), 'DICTIONARY')
  const { nodes, close } = openClickHouse({ ...options, urls, timeoutMs: limits.dictionaryTimeoutMs })
  return { nodes, [Symbol.asyncDispose]: close }
}
