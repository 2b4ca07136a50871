import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { networkInterfaces } from 'node:os'
import type { Dice } from '../../dice.ts'

export type HostName = 'service-1' | 'service-2' | 'postgres' | 'clickhouse-1' | 'clickhouse-2' | 'objects'

/** A link between two hosts. `silent` says in which direction packets are lost. */
export type Cut = {
  readonly between: readonly [HostName, HostName]
  readonly silent: 'both ways' | 'to the first' | 'to the second'
}

/**
 * Several hosts on one machine: a network namespace per host, a bridge between them, and a link from this process to the
 * bridge. Every host reaches the ports of all others at 127.0.0.1, so that programs need no configuration for it.
 */
export type Network = {
  /** The address of a host, as this process reaches it. */
  readonly address: (host: HostName) => string
  /** Command that starts another command on a host. */
  readonly prefix: (host: HostName) => readonly string[]
  /** Drops the packets between two hosts without an answer, as a real partition does. */
  readonly cut: (cut: Cut) => void
  readonly heal: (cut: Cut) => void
  readonly close: () => void
}

/** Ports of the programs of each host. */
export type HostPorts = Readonly<Record<HostName, readonly number[]>>

const run = (program: string, text: string, input = ''): string =>
  execFileSync(program, text.split(' '), { input, stdio: 'pipe', encoding: 'utf8' })

export function openNetwork(ports: HostPorts): Network {
  const name = `bg-${randomBytes(3).toString('hex')}`
  const subnet = freeSubnet()
  const hosts = Object.keys(ports) as HostName[]
  const address = (host: HostName) => `198.18.${subnet}.${10 + hosts.indexOf(host)}`
  const namespaceOf = (host: HostName | 'bridge') => `${name}-${host}`
  const prefix = (host: HostName) => ['nsenter', `--net=/run/netns/${namespaceOf(host)}`]
  const nft = (host: HostName, text: string) => run('ip', `netns exec ${namespaceOf(host)} nft -f -`, text)
  const made: string[] = []
  const close = () => {
    // The virtual cables are removed together with their namespaces.
    for (const namespace of made) run('ip', `netns delete ${namespace}`)
  }
  const create = (namespace: string) => {
    run('ip', `netns add ${namespace}`)
    made.push(namespace)
    run('ip', `-n ${namespace} link set lo up`)
  }
  const bridge = namespaceOf('bridge')
  /** Connects a host, or this process, to the bridge. */
  const plug = (cable: string, inNamespace: string) => {
    run(
      'ip',
      `link add name ${inNamespace === '' ? name : 'uplink'}${inNamespace} type veth peer name ${cable} netns ${bridge}`,
    )
    run('ip', `-n ${bridge} link set ${cable} master bridge up`)
  }
  try {
    create(bridge)
    run('ip', `-n ${bridge} link add bridge type bridge`)
    run('ip', `-n ${bridge} link set bridge up`)
    plug('tests', '')
    run('ip', `address add 198.18.${subnet}.1/24 dev ${name}`)
    run('ip', `link set ${name} up`)
    for (const host of hosts) {
      const namespace = namespaceOf(host)
      create(namespace)
      plug(host, ` netns ${namespace}`)
      run('ip', `-n ${namespace} address add ${address(host)}/24 dev uplink`)
      run('ip', `-n ${namespace} link set uplink up`)
      // Without this, the kernel drops packets from the cable that the rules below address to 127.0.0.1.
      run('ip', `netns exec ${namespace} sysctl -qw net.ipv4.conf.uplink.route_localnet=1`)
      const others = hosts.filter((other) => other !== host)
      nft(host, rulesOf(others.flatMap((other) => ports[other].map((port) => `${port} : ${address(other)}`))))
    }
  } catch (error) {
    close()
    const { stderr, message } = error as Error & { stderr?: string }
    throw new Error(
      'Partitions need network namespaces, nftables and root (Debian: iproute2, nftables; in a container: CAP_NET_ADMIN ' +
        `and CAP_SYS_ADMIN). They cannot be created here: ${stderr || message}`,
      { cause: error },
    )
  }
  const change = (what: 'add' | 'delete', { between: [first, second], silent }: Cut) => {
    const ignore = (host: HostName, peer: HostName) => nft(host, `${what} element ip host silent { ${address(peer)} }`)
    if (silent !== 'to the second') ignore(first, second)
    if (silent !== 'to the first') ignore(second, first)
  }
  return { address, prefix, cut: (cut) => change('add', cut), heal: (cut) => change('delete', cut), close }
}

/**
 * Rules of one host. A connection to a port of another host at 127.0.0.1 goes to that host, whose rules pass it to its own
 * 127.0.0.1. The chain `partition` comes before them and drops what a silent host sends.
 */
const rulesOf = (elsewhere: readonly string[]): string => `table ip host {
  set silent { type ipv4_addr; }
  map elsewhere { type inet_service : ipv4_addr; elements = { ${elsewhere.join(', ')} } }
  chain partition { type filter hook prerouting priority -350; ip saddr @silent drop; }
  chain leave { type nat hook output priority -100; ip daddr 127.0.0.1 dnat to tcp dport map @elsewhere; }
  chain left { type nat hook postrouting priority 100; oifname "uplink" masquerade; }
  chain arrive { type nat hook prerouting priority -100; iifname "uplink" meta l4proto tcp dnat to 127.0.0.1; }
  chain arrived { type nat hook input priority 100; iifname "uplink" snat to 127.0.0.1; }
}`

/** A number N such that this machine does not use 198.18.N.0/24. The range 198.18.0.0/15 is for tests of networks (RFC 2544). */
function freeSubnet(): number {
  const used = Object.values(networkInterfaces()).flatMap((all) => all?.map((one) => one.address) ?? [])
  for (;;) {
    const [subnet = 0] = randomBytes(1)
    if (!used.some((one) => one.startsWith(`198.18.${subnet}.`))) return subnet
  }
}

/** Kinds of links. Every kind is cut equally often. */
export const links = {
  'instance – PostgreSQL': [
    ['service-1', 'postgres'],
    ['service-2', 'postgres'],
  ],
  'instance – ClickHouse': [
    ['service-1', 'clickhouse-1'],
    ['service-1', 'clickhouse-2'],
    ['service-2', 'clickhouse-1'],
    ['service-2', 'clickhouse-2'],
  ],
  'shard – shard': [['clickhouse-1', 'clickhouse-2']],
  'worker – object storage': [
    ['service-1', 'objects'],
    ['service-2', 'objects'],
  ],
  'shard – object storage': [
    ['clickhouse-1', 'objects'],
    ['clickhouse-2', 'objects'],
  ],
  'shard – PostgreSQL': [
    ['clickhouse-1', 'postgres'],
    ['clickhouse-2', 'postgres'],
  ],
} satisfies Record<string, readonly (readonly [HostName, HostName])[]>

export type Link = keyof typeof links

/** Half of the cuts are silent both ways. */
export const rollCut = (link: Link, dice: Dice): Cut => ({
  between: dice.pick<readonly [HostName, HostName]>(links[link]),
  silent: dice.pick(['both ways', 'both ways', 'to the first', 'to the second'] as const),
})
