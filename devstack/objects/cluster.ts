import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { runCommand } from '../daemon/run-command.ts'
import type { StackRecord } from '../record/stack-record.ts'
import { type CephPaths, cephConfiguration, monitorAddress } from './configuration.ts'

export type ClusterIdentity = { clusterId: string; storageId: string }

// The clients of the cluster. Each has a name, and capabilities for each kind of daemon.
const keys: [name: string, capabilities: Record<string, string>][] = [
  ['mon.', { mon: 'allow *' }],
  ['client.admin', { mon: 'allow *', osd: 'allow *', mgr: 'allow *' }],
  ['osd.0', { mon: 'allow profile osd', osd: 'allow *' }],
  ['client.rgw', { mon: 'allow rw', osd: 'allow rwx' }],
]

export async function readCluster(paths: CephPaths): Promise<ClusterIdentity | undefined> {
  try {
    return JSON.parse(await readFile(paths.complete, 'utf8')) as ClusterIdentity
  } catch {
    return undefined
  }
}

/** Creates all files that must exist before the first daemon runs. */
export async function createCluster(record: StackRecord, paths: CephPaths): Promise<ClusterIdentity> {
  await rm(paths.directory, { recursive: true, force: true })
  for (const directory of [paths.monitor, paths.storage, paths.gateway]) await mkdir(directory, { recursive: true })
  const identity = { clusterId: randomUUID(), storageId: randomUUID() }
  await writeFile(paths.configuration, cephConfiguration(record, paths, identity.clusterId))
  await createKeyring(paths.keyring)
  await createMonitorMap(record, paths, identity.clusterId)
  const sources = ['--monmap', paths.monitorMap, '--keyring', paths.keyring]
  await run('ceph-mon', ['-c', paths.configuration, '-i', 'a', '--mkfs', ...sources])
  return identity
}

/** Updates the configuration if the ports have changed: a monitor stores its own address. */
export async function updateCluster(record: StackRecord, paths: CephPaths, { clusterId }: ClusterIdentity) {
  const configuration = cephConfiguration(record, paths, clusterId)
  if ((await readFile(paths.configuration, 'utf8')) === configuration) return
  await writeFile(paths.configuration, configuration)
  await createMonitorMap(record, paths, clusterId)
  await run('ceph-mon', ['-c', paths.configuration, '-i', 'a', '--inject-monmap', paths.monitorMap])
}

/** Registers the disk with the running monitor and formats it. */
export async function createStorage(paths: CephPaths, { storageId }: ClusterIdentity): Promise<void> {
  await run('ceph', ['-c', paths.configuration, '--connect-timeout', '20', 'osd', 'new', storageId])
  await run('ceph-osd', ['-c', paths.configuration, '-i', '0', '--mkfs', '--osd-uuid', storageId])
}

export async function createUser({ secrets }: StackRecord, paths: CephPaths): Promise<void> {
  const { accessKeyId, secretAccessKey } = secrets.objects
  const identity = ['--uid=broadgauge', '--display-name=broadgauge']
  const credentials = [`--access-key=${accessKeyId}`, `--secret-key=${secretAccessKey}`]
  await run('radosgw-admin', ['-c', paths.configuration, 'user', 'create', ...identity, ...credentials])
}

export async function markComplete(paths: CephPaths, identity: ClusterIdentity): Promise<void> {
  await writeFile(paths.complete, JSON.stringify(identity))
}

async function createKeyring(keyring: string): Promise<void> {
  await writeFile(keyring, '', { mode: 0o600 })
  for (const [name, capabilities] of keys) {
    const capabilityArguments = Object.entries(capabilities).flatMap(([kind, allowed]) => ['--cap', kind, allowed])
    await run('ceph-authtool', [keyring, '--name', name, '--gen-key', ...capabilityArguments])
  }
}

async function createMonitorMap({ ports }: StackRecord, paths: CephPaths, clusterId: string): Promise<void> {
  const member = ['--addv', 'a', monitorAddress(ports)]
  await run('monmaptool', ['--create', '--clobber', ...member, '--fsid', clusterId, paths.monitorMap])
}

async function run(program: string, programArguments: string[]): Promise<void> {
  await runCommand({ program, arguments: programArguments })
}
