import type { Component } from './component.ts'
import { componentsOf } from './components.ts'
import { writeEnvironmentFile } from './environment.ts'
import { isHealthy, isRunning } from './health.ts'
import { withLock } from './lock.ts'
import { chooseObjectStorage, storageNotice } from './objects/storage.ts'
import { stackDirectory } from './record/directories.ts'
import { moveTakenPorts } from './record/move-ports.ts'
import { completeSecrets } from './record/secrets.ts'
import { type StackRecord, createRecord, readRecord, writeRecord } from './record/stack-record.ts'
import { type Stack, toStack } from './stack.ts'
import { start, stop } from './start-and-stop.ts'

type Observe = (line: string) => void
type UpOptions = {
  name: string
  shards?: number
  /** Uses Ceph if it is installed, else what the demo can use. Without this, the stack needs Ceph. */
  anyObjectStorage?: boolean
  observe?: Observe
}

/** Starts the stack from any state. Components that run and respond are not restarted. */
export async function stackUp({ name, shards, anyObjectStorage, observe = () => {} }: UpOptions): Promise<Stack> {
  return withLock(stackDirectory(name), async () => {
    const record = await claimRecord(name, shards, anyObjectStorage)
    const notice = storageNotice[record.objects]
    if (notice !== null) observe(notice)
    const down = await stopUnhealthy(componentsOf(record), observe)
    const moved = await moveTakenPorts(record, down)
    if (moved) observe('another program has taken a port of this stack: new ports, everything restarts')
    // The components know each other's ports, so no component may continue to run with the old ports.
    if (moved) await Promise.all(componentsOf(record).map(stop))
    await startAll(moved ? componentsOf(moved) : down, observe)
    await writeEnvironmentFile(moved ?? record)
    return toStack(moved ?? record)
  })
}

async function claimRecord(name: string, shards: number | undefined, anyStorage = false): Promise<StackRecord> {
  if (shards !== undefined && !(Number.isInteger(shards) && shards >= 1 && shards <= 16)) {
    throw new Error('A stack has 1 to 16 shards.')
  }
  const existing = await readRecord(name)
  if (!existing) return createRecord(name, shards ?? 1, anyStorage ? await chooseObjectStorage() : 'ceph')
  if (shards !== undefined && shards !== existing.shards) {
    throw new Error(
      `The stack "${name}" has ${existing.shards} shard(s), not ${shards}. ` +
        `Take another name, or remove it with its data: npm run stack -- down --wipe --name ${name}`,
    )
  }
  const record = { ...existing, secrets: completeSecrets(existing.secrets) }
  await writeRecord(record)
  return record
}

/** Returns the components that must be started. A component that runs but does not respond is stopped first. */
async function stopUnhealthy(components: Component[], observe: Observe): Promise<Component[]> {
  const healthy = await Promise.all(components.map(isHealthy))
  for (const [index, { name }] of components.entries()) if (healthy[index]) observe(`${name} is up already`)
  const unhealthy = components.filter((_, index) => !healthy[index])
  const running = await Promise.all(unhealthy.map(isRunning))
  await Promise.all(unhealthy.filter((_, index) => running[index]).map(stop))
  return unhealthy
}

async function startAll(components: Component[], observe: Observe): Promise<void> {
  const results = await Promise.allSettled(components.map((component) => startTimed(component, observe)))
  const failures = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason as Error)
  if (failures.length > 0) throw new Error(failures.map(({ message }) => message).join('\n\n'), { cause: failures[0] })
}

async function startTimed(component: Component, observe: Observe): Promise<void> {
  const startedMs = performance.now()
  await start(component)
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
  observe(`${component.name} is up on port ${component.port} after ${seconds} s`)
}
