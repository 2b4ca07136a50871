import { type StackComponent, servingDaemon } from './component.ts'
import { componentNamed } from './components.ts'
import { signalDaemon } from './daemon/signal-daemon.ts'
import { withLock } from './lock.ts'
import { type StackRecord, readRecord } from './record/stack-record.ts'
import type { Stack } from './stack.ts'
import { start } from './start-and-stop.ts'

/**
 * Does to one component what the world may do to it: SIGKILL ends it without a warning, SIGSTOP makes it hang,
 * SIGCONT wakes it. Of the object storage only the gateway is hit, as when the network to it fails.
 */
export async function killComponent(
  stack: Pick<Stack, 'name'>,
  component: StackComponent,
  signal: NodeJS.Signals = 'SIGKILL',
): Promise<void> {
  await signalDaemon(servingDaemon(componentNamed(await recordOf(stack), component)), signal)
}

/** Starts a component again on its old port and returns when it answers. */
export async function startComponent(stack: Pick<Stack, 'name'>, component: StackComponent): Promise<void> {
  const record = await recordOf(stack)
  await withLock(record.directory, () => start(componentNamed(record, component)))
}

async function recordOf({ name }: Pick<Stack, 'name'>): Promise<StackRecord> {
  const record = await readRecord(name)
  if (record) return record
  throw new Error(`There is no stack "${name}".`)
}
