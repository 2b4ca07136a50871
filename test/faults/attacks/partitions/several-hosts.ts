import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { stackDown } from '../../../../devstack/index.ts'
import { createRecord } from '../../../../devstack/record/stack-record.ts'
import { toStack } from '../../../../devstack/stack.ts'
import { freePort } from '../../../kit/free-port.ts'
import { openWorld, type World } from '../../../kit/world.ts'
import { childService, type ChildService } from '../../child-service.ts'
import { noLimits } from '../no-limits.ts'
import { fillRig } from '../rig.ts'
import { openNetwork, type HostName, type HostPorts, type Network } from './network.ts'

/** Two instances of the service and four stores, each on a host of its own. */
export type SeveralHosts = {
  readonly network: Network
  readonly world: World
  readonly services: readonly [ChildService, ChildService]
  readonly token: string
  readonly close: () => Promise<void>
}

const stores = ['postgres', 'clickhouse-1', 'clickhouse-2', 'objects'] as const satisfies readonly HostName[]
/** The stores start at the same time, and the machine may be busy. */
const startMsMax = 120_000

export async function openSeveralHosts(settings: Readonly<Record<string, string>>): Promise<SeveralHosts> {
  const record = await createRecord(`hosts-${randomBytes(3).toString('hex')}`, stores.length - 2, 'ceph')
  const { postgres, clickhouse, objects } = record.ports
  const serviceByHost = { 'service-1': await freePorts(), 'service-2': await freePorts() }
  const ports: HostPorts = {
    ...serviceByHost,
    postgres: [postgres],
    'clickhouse-1': clickhouse.slice(0, 1).flatMap(({ http, relay }) => [http, relay]),
    'clickhouse-2': clickhouse.slice(1).flatMap(({ http, relay }) => [http, relay]),
    objects: [objects.gateway],
  }
  const network = openNetwork(ports)
  const closing: (() => unknown)[] = [network.close]
  const close = async () => {
    for (const one of closing.toReversed()) await one()
  }
  closing.push(() => stackDown({ name: record.name, wipe: true }))
  try {
    await Promise.all(stores.map((store) => startStore(network, record.name, store)))
    const everyPort = stores.flatMap((host) => ports[host].map((port) => ({ host, port })))
    const local = ({ port }: { port: number }) => `127.0.0.1:${port}`
    const remote = ({ host, port }: { host: HostName; port: number }) => `${network.address(host)}:${port}`
    // This process reaches the stores at the addresses of their hosts, the instances at 127.0.0.1.
    const stack = replaced(toStack(record), everyPort, local, remote)
    const world = await openWorld({ stack })
    closing.push(world.close)
    const token = await fillRig(world)
    const environment = {
      ...replaced(world.environment, everyPort, remote, local),
      BROADGAUGE_S3_PUBLIC_ENDPOINT: world.environment['BROADGAUGE_S3_ENDPOINT'] ?? '',
      ...noLimits,
      ...settings,
    }
    const started = (['service-1', 'service-2'] as const).map(async (host) => {
      const place = { address: network.address(host), prefix: network.prefix(host), ports: serviceByHost[host] }
      const service = await childService(environment, place)
      closing.push(service.stop)
      await service.start()
      return service
    })
    const [first, second] = await Promise.all(started)
    if (first === undefined || second === undefined) throw new Error('there are not two instances')
    return { network, world, services: [first, second], token, close }
  } catch (error) {
    await close()
    throw error
  }
}

const freePorts = async () => [await freePort(), await freePort(), await freePort()] as const

async function startStore(network: Network, stackName: string, store: (typeof stores)[number]): Promise<void> {
  const script = join(import.meta.dirname, 'start-store.ts')
  const [program, ...rest] = [...network.prefix(store), process.execPath, script, stackName, store]
  await promisify(execFile)(program, rest, { timeout: startMsMax })
}

/** Replaces addresses in all texts of a value. */
function replaced<Value, Port>(
  value: Value,
  ports: readonly Port[],
  from: (port: Port) => string,
  to: (port: Port) => string,
): Value {
  return JSON.parse(ports.reduce((text, port) => text.replaceAll(from(port), to(port)), JSON.stringify(value))) as Value
}
