import type { Daemon } from './daemon/daemon.ts'

export type StackComponent = 'postgres' | `clickhouse-${number}` | 'objects'

export type Component = {
  name: StackComponent
  /** The port that clients connect to. */
  port: number
  /** The daemons in the order in which they start. Clients connect to the last one. */
  daemons: [...Daemon[], Daemon]
  /** Starts the daemons that are not running. */
  launch: () => Promise<void>
  /** Sends a real request with the component's own protocol. Rejects if there is no response before the deadline. */
  probe: (deadlineMs: number) => Promise<void>
  /** Creates what the service expects: roles, databases, a bucket. Changes nothing if they exist. */
  prepare: () => Promise<void>
}

export function servingDaemon(component: Component): Daemon {
  return component.daemons.at(-1) as Daemon
}
