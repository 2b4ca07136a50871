import type { Daemon } from './daemon/daemon.ts'

export type StackComponent = 'postgres' | `clickhouse-${number}` | 'objects'

export type Component = {
  name: StackComponent
  /** The port that clients use. */
  port: number
  /** In the order of starting; the last one is the one that clients talk to. */
  daemons: [...Daemon[], Daemon]
  /** Starts the daemons that do not run. */
  launch: () => Promise<void>
  /** Asks a real question over the component's own protocol; rejects when there is no answer before the deadline. */
  probe: (deadlineMs: number) => Promise<void>
  /** Creates what the service expects to find (roles, databases, bucket). Harmless when it is there already. */
  prepare: () => Promise<void>
}

export function servingDaemon(component: Component): Daemon {
  return component.daemons.at(-1) as Daemon
}
