import { join } from 'node:path'
import { Client } from 'pg'
import type { Component } from '../component.ts'
import { type Daemon, runningPid } from '../daemon/daemon.ts'
import { startDaemon } from '../daemon/start-daemon.ts'
import type { StackRecord } from '../record/stack-record.ts'
import { findPostgresBinaries } from './binaries.ts'
import { initialisePostgres } from './initialise.ts'
import { createRolesAndDatabase } from './roles.ts'
import { removeStaleLock } from './stale-lock.ts'
import { asUnprivileged } from './unprivileged.ts'
import { superuserUrl } from './urls.ts'

export function postgresComponent(record: StackRecord): Component {
  const daemon: Daemon = {
    name: 'postgres',
    pidFile: join(record.directory, 'run', 'postgres.pid'),
    logFile: join(record.directory, 'log', 'postgres.log'),
    // "Fast shutdown": PostgreSQL ends open sessions and writes all data to disk.
    stopSignal: 'SIGINT',
    stopBoundMs: 10_000,
    ports: [record.ports.postgres],
  }
  return {
    name: 'postgres',
    port: record.ports.postgres,
    daemons: [daemon],
    launch: () => launch(record, daemon),
    probe: (deadlineMs) => probe(superuserUrl(record), deadlineMs),
    prepare: () => createRolesAndDatabase(superuserUrl(record), record.secrets.postgres),
  }
}

async function launch(record: StackRecord, daemon: Daemon): Promise<void> {
  if (await runningPid(daemon)) return
  const directory = join(record.directory, 'postgres')
  const { initdb, postgres } = await findPostgresBinaries()
  await initialisePostgres(directory, initdb, record.secrets.postgres.superuser)
  await removeStaleLock(join(directory, 'data'))
  const settings = {
    listen_addresses: '127.0.0.1',
    // No Unix sockets: the path of a socket must be shorter than 108 bytes, and the path of the checkout may be longer.
    unix_socket_directories: '',
    max_connections: '200',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Without fsync, a commit survives the end of the processes, but not a crash of the machine.
    fsync: process.env['BROADGAUGE_DEVSTACK_POSTGRES_FSYNC'] ?? 'on',
  }
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const command = ['-D', join(directory, 'data'), '-p', String(record.ports.postgres), ...options]
  await startDaemon(daemon, asUnprivileged({ program: postgres, arguments: command }))
}

async function probe(url: string, deadlineMs: number): Promise<void> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: deadlineMs,
    query_timeout: deadlineMs,
  })
  // Without a listener for errors, a server that ends during a probe would end this process.
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('SELECT 1')
  } finally {
    client.end().catch(() => {})
  }
}
