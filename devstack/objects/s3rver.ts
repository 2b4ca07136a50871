import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Component } from '../component.ts'
import { type Daemon, runningPid } from '../daemon/daemon.ts'
import { startDaemon } from '../daemon/start-daemon.ts'
import { enginesDirectory, ownExtension } from '../engine-packages.ts'
import type { StackRecord } from '../record/stack-record.ts'
import { createBucket, listBuckets } from './bucket.ts'

/**
 * Object storage for the demo where Ceph is not installed. It needs no rights and no packages of the system. Every process of
 * this machine can read and change the objects.
 */
export function s3rverComponent(record: StackRecord): Component {
  const port = record.ports.objects.gateway
  const daemon: Daemon = {
    name: 'objects',
    pidFile: join(record.directory, 'run', 'objects.pid'),
    logFile: join(record.directory, 'log', 'objects.log'),
    stopSignal: 'SIGTERM',
    stopBoundMs: 2_000,
    ports: [port],
  }
  return {
    name: 'objects',
    port,
    daemons: [daemon],
    launch: () => launch(record, daemon),
    probe: (deadlineMs) => listBuckets(record, deadlineMs),
    prepare: () => createBucket(record),
  }
}

async function launch({ directory, ports, secrets }: StackRecord, daemon: Daemon): Promise<void> {
  if (await runningPid(daemon)) return
  const objects = join(directory, 'objects')
  await mkdir(objects, { recursive: true })
  await startDaemon(daemon, {
    program: process.execPath,
    arguments: [join(import.meta.dirname, `s3rver-server${ownExtension}`), objects, String(ports.objects.gateway)],
    environment: {
      DEVSTACK_ENGINES: enginesDirectory,
      DEVSTACK_OBJECTS_KEY: secrets.objects.accessKeyId,
      DEVSTACK_OBJECTS_SECRET: secrets.objects.secretAccessKey,
    },
  })
}
