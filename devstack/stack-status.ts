import { type StackComponent, servingDaemon } from './component.ts'
import { componentsOf } from './components.ts'
import { runningPid } from './daemon/daemon.ts'
import { isHealthy, isRunning } from './health.ts'
import { readRecord } from './record/stack-record.ts'

export type ComponentStatus = {
  component: StackComponent
  running: boolean
  healthy: boolean
  /** Process id of the daemon that clients connect to. */
  pid: number | undefined
  port: number
  logFile: string
}

/** Returns the state of each component, or an empty list if the stack does not exist. */
export async function stackStatus({ name }: { name: string }): Promise<ComponentStatus[]> {
  const record = await readRecord(name)
  if (!record) return []
  return Promise.all(
    componentsOf(record).map(async (component) => ({
      component: component.name,
      running: await isRunning(component),
      healthy: await isHealthy(component),
      pid: await runningPid(servingDaemon(component)),
      port: component.port,
      logFile: servingDaemon(component).logFile,
    })),
  )
}
