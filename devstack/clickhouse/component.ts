import { join } from 'node:path'
import type { Component } from '../component.ts'
import { type Daemon, runningPid } from '../daemon/daemon.ts'
import { startDaemon } from '../daemon/start-daemon.ts'
import { enginesDirectory, ownExtension } from '../engine-packages.ts'
import type { StackRecord } from '../record/stack-record.ts'
import { configurationEnvironment, hasCurrentConfiguration, writeConfiguration } from './configuration.ts'

type NodePorts = StackRecord['ports']['clickhouse'][number]

export function clickHouseComponents(record: StackRecord): Component[] {
  return record.ports.clickhouse.map((ports, index) => nodeComponent(record, `clickhouse-${index + 1}`, ports))
}

export function nodeUrl(ports: NodePorts): string {
  return `http://127.0.0.1:${ports.http}`
}

function nodeComponent(record: StackRecord, name: `clickhouse-${number}`, ports: NodePorts): Component {
  const daemon: Daemon = {
    name,
    pidFile: join(record.directory, 'run', `${name}.pid`),
    logFile: join(record.directory, 'log', `${name}.log`),
    // The library does not handle signals, so SIGTERM ends the process at once, like SIGKILL. Its tables are not damaged.
    stopSignal: 'SIGTERM',
    stopBoundMs: 5_000,
    ports: [ports.http, ports.tcp, ports.relay],
  }
  const nodeDirectory = join(record.directory, name)
  const ask = (query: string, deadlineMs: number) =>
    askAsAdmin(nodeUrl(ports), record.secrets.clickhouse.admin, query, deadlineMs)
  return {
    name,
    port: ports.http,
    daemons: [daemon],
    launch: () => launch(record, daemon, nodeDirectory, ports),
    probe: async (deadlineMs) => {
      if (!(await hasCurrentConfiguration(nodeDirectory))) throw new Error('Its configuration has changed.')
      await ask('SELECT 1', deadlineMs)
    },
    prepare: () => ask('CREATE DATABASE IF NOT EXISTS broadgauge', 10_000),
  }
}

async function launch(record: StackRecord, daemon: Daemon, directory: string, ports: NodePorts): Promise<void> {
  if (await runningPid(daemon)) return
  await writeConfiguration(record, directory)
  await startDaemon(daemon, {
    program: process.execPath,
    arguments: [
      join(import.meta.dirname, `server${ownExtension}`),
      directory,
      ...[ports.http, ports.tcp, ...(record.shards > 1 ? [ports.relay] : [])].map(String),
    ],
    environment: { ...configurationEnvironment(record, directory), DEVSTACK_ENGINES: enginesDirectory },
  })
}

async function askAsAdmin(url: string, password: string, query: string, deadlineMs: number): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'X-ClickHouse-User': 'bg_admin', 'X-ClickHouse-Key': password, Connection: 'close' },
    body: query,
    signal: AbortSignal.timeout(deadlineMs),
  })
  const answer = await response.text()
  if (!response.ok) throw new Error(answer)
}
