import { readFile } from 'node:fs/promises'

/** Returns the CPU time that a process has used so far: user and system time, counted in ticks of ten milliseconds. */
export async function processorSeconds(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const fields = text.split(') ').at(-1)?.split(' ') ?? []
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / 100
}

/** Returns the CPU time of the whole machine (`all`) and of this process (`own`). */
export async function processorSecondsOfAll(): Promise<{ readonly all: number; readonly own: number }> {
  const [line = ''] = (await readFile('/proc/stat', 'utf8')).split('\n')
  const [user = 0, nice = 0, system = 0] = line.split(/\s+/).slice(1).map(Number)
  const { user: ownUser, system: ownSystem } = process.cpuUsage()
  return { all: (user + nice + system) / 100, own: (ownUser + ownSystem) / 1e6 }
}

/** Returns the peak memory of a process, in megabytes. */
export async function memoryPeak(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/VmHWM:\s+(\d+)/.exec(text)?.[1] ?? 0) / 1024
}

/** Returns the current memory of a process, in megabytes. */
export async function memoryNow(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/VmRSS:\s+(\d+)/.exec(text)?.[1] ?? 0) / 1024
}
