import { type StackComponent, servingDaemon } from './component.ts'
import { componentsOf } from './components.ts'
import { runningPid } from './daemon/daemon.ts'
import { isHealthy, isRunning } from './health.ts'
import { readRecord } from './record/stack-record.ts'

export type ComponentStatus = {
  component: StackComponent
  running: boolean
  healthy: boolean
  /** Of the process that clients talk to. */
  pid: number | undefined
  port: number
  logFile: string
}

/** An empty answer means that there is no such stack. */
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
