import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Component } from '../component.ts'
import { type Daemon, runningPid } from '../daemon/daemon.ts'
import { stopDaemon } from '../daemon/signal-daemon.ts'
import { startDaemon } from '../daemon/start-daemon.ts'
import type { StackRecord } from '../record/stack-record.ts'
import { checkCephInstalled } from './binaries.ts'
import { createBucket, gatewayUrl, listBuckets } from './bucket.ts'
import { createCluster, createStorage, createUser, markComplete, readCluster, updateCluster } from './cluster.ts'
import { type CephPaths, cephPaths } from './configuration.ts'

const gatewayStartMs = 30_000

type CephDaemons = { monitor: Daemon; storage: Daemon; gateway: Daemon }

export function cephComponent(record: StackRecord): Component {
  const paths = cephPaths(record.directory)
  const daemons = cephDaemons(record)
  return {
    name: 'objects',
    port: record.ports.objects.gateway,
    daemons: [daemons.monitor, daemons.storage, daemons.gateway],
    launch: () => launch(record, paths, daemons),
    probe: (deadlineMs) => listBuckets(record, deadlineMs),
    prepare: () => createBucket(record),
  }
}

function cephDaemons({ directory, ports }: StackRecord): CephDaemons {
  const daemon = (name: string, daemonPorts: number[], stopBoundMs: number): Daemon => ({
    name: `objects-${name}`,
    pidFile: join(directory, 'run', `objects-${name}.pid`),
    logFile: join(directory, 'log', `objects-${name}.log`),
    stopSignal: 'SIGTERM',
    stopBoundMs,
    ports: daemonPorts,
  })
  return {
    monitor: daemon('monitor', [ports.objects.monitor], 10_000),
    // The storage daemon has no fixed ports. It uses free ports of its range.
    storage: daemon('storage', [], 10_000),
    // The gateway gets little time to stop: it stores nothing itself, and a clean stop waits up to 70 s for the life-cycle
    // workers.
    gateway: daemon('gateway', [ports.objects.gateway], 500),
  }
}

async function launch(record: StackRecord, paths: CephPaths, daemons: CephDaemons): Promise<void> {
  await checkCephInstalled()
  const known = await readCluster(paths)
  if (!known) return launchFirstTime(record, paths, daemons)
  // A running monitor locks its store. In this case its ports cannot have changed, so no update is necessary.
  if (!(await runningPid(daemons.monitor))) await updateCluster(record, paths, known)
  await startMonitor(paths, daemons.monitor)
  await startStorage(paths, daemons.storage)
  await startGateway(paths, daemons.gateway)
}

async function launchFirstTime(record: StackRecord, paths: CephPaths, daemons: CephDaemons): Promise<void> {
  // Stop processes of an interrupted first start: their files are removed below.
  for (const daemon of [daemons.gateway, daemons.storage, daemons.monitor]) await stopDaemon(daemon)
  const identity = await createCluster(record, paths)
  await startMonitor(paths, daemons.monitor)
  await createStorage(paths, identity)
  await startStorage(paths, daemons.storage)
  await startGateway(paths, daemons.gateway)
  // Wait for the gateway: it creates the pools that store the user.
  await gatewayAnswers(gatewayUrl(record.ports), daemons.gateway)
  await createUser(record, paths)
  await markComplete(paths, identity)
}

async function startMonitor(paths: CephPaths, daemon: Daemon): Promise<void> {
  await startIfStopped(daemon, 'ceph-mon', ['-c', paths.configuration, '-f', '-i', 'a'])
}

async function startStorage(paths: CephPaths, daemon: Daemon): Promise<void> {
  await startIfStopped(daemon, 'ceph-osd', ['-c', paths.configuration, '-f', '-i', '0'])
}

async function startGateway(paths: CephPaths, daemon: Daemon): Promise<void> {
  await startIfStopped(daemon, 'radosgw', ['-c', paths.configuration, '-f', '-n', 'client.rgw'])
}

async function startIfStopped(daemon: Daemon, program: string, programArguments: string[]): Promise<void> {
  if (await runningPid(daemon)) return
  await startDaemon(daemon, { program, arguments: programArguments })
}

async function gatewayAnswers(url: string, daemon: Daemon): Promise<void> {
  const deadline = Date.now() + gatewayStartMs
  while (Date.now() < deadline && (await runningPid(daemon))) {
    const answered = await fetch(url, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined)
    if (answered) return
    await sleep(50)
  }
  throw new Error('The gateway does not answer.')
}
