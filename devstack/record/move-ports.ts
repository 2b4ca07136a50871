import type { Component, StackComponent } from '../component.ts'
import { runningPid } from '../daemon/daemon.ts'
import { type StackPorts, chooseClickHousePorts, chooseObjectPorts, choosePostgresPort, isFree } from './ports.ts'
import { type StackRecord, choosingPorts, writeRecord } from './stack-record.ts'

/** Assigns new ports to stopped components whose ports another program now uses. */
export async function moveTakenPorts(record: StackRecord, down: Component[]): Promise<StackRecord | undefined> {
  const taken: StackComponent[] = []
  for (const component of down) if (await hasTakenPort(component)) taken.push(component.name)
  if (taken.length === 0) return undefined
  return choosingPorts(async (avoid) => {
    let { ports } = record
    for (const name of taken) ports = await portsWithout(ports, name, avoid)
    await writeRecord({ ...record, ports })
    return { ...record, ports }
  })
}

async function hasTakenPort(component: Component): Promise<boolean> {
  const running = await Promise.all(component.daemons.map(runningPid))
  const needed = component.daemons.filter((_, index) => running[index] === undefined).flatMap(({ ports }) => ports)
  return (await Promise.all(needed.map(isFree))).includes(false)
}

async function portsWithout(ports: StackPorts, name: StackComponent, avoid: Set<number>): Promise<StackPorts> {
  if (name === 'postgres') return { ...ports, postgres: await choosePostgresPort(avoid) }
  if (name === 'objects') return { ...ports, objects: await chooseObjectPorts(avoid) }
  const node = Number(name.slice('clickhouse-'.length)) - 1
  return { ...ports, clickhouse: ports.clickhouse.with(node, await chooseClickHousePorts(avoid)) }
}
