import { type StackComponent, servingDaemon } from './component.ts'
import { componentNamed } from './components.ts'
import { signalDaemon } from './daemon/signal-daemon.ts'
import { withLock } from './lock.ts'
import { type StackRecord, readRecord } from './record/stack-record.ts'
import type { Stack } from './stack.ts'
import { start } from './start-and-stop.ts'

/**
 * Sends a signal to one component: SIGKILL ends it at once, SIGSTOP makes it hang, SIGCONT continues it. In the object storage
 * only the gateway receives the signal, as if the network to it had failed.
 */
export async function killComponent(
  stack: Pick<Stack, 'name'>,
  component: StackComponent,
  signal: NodeJS.Signals = 'SIGKILL',
): Promise<void> {
  await signalDaemon(servingDaemon(componentNamed(await recordOf(stack), component)), signal)
}

/** Starts a component again on its old port. Returns when the component responds. */
export async function startComponent(stack: Pick<Stack, 'name'>, component: StackComponent): Promise<void> {
  const record = await recordOf(stack)
  await withLock(record.directory, () => start(componentNamed(record, component)))
}

async function recordOf({ name }: Pick<Stack, 'name'>): Promise<StackRecord> {
  const record = await readRecord(name)
  if (record) return record
  throw new Error(`There is no stack "${name}".`)
}
