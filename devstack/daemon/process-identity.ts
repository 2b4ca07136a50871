import { readFile, readdir, readlink } from 'node:fs/promises'

/**
 * Identifies a process. A pid alone is not sufficient, because the kernel reuses pids. The start time and the boot id make it
 * unique.
 */
export type ProcessIdentity = { pid: number; startTicks: string; bootId: string }

type Stat = { state: string; parentPid: number; threads: number; startTicks: string }

export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  const stat = await readStat(pid)
  if (!stat || isBuried(stat)) return undefined
  return { pid, startTicks: stat.startTicks, bootId: await readBootId() }
}

export async function isSameProcess(identity: ProcessIdentity): Promise<boolean> {
  const current = await identifyProcess(identity.pid)
  return current?.startTicks === identity.startTicks && current.bootId === identity.bootId
}

export async function findChildren(parentPid: number): Promise<number[]> {
  return findProcesses(async (pid) => (await readStat(pid))?.parentPid === parentPid)
}

/** Returns the processes that have this working directory. */
export async function findProcessesIn(directory: string): Promise<number[]> {
  return findProcesses(async (pid) => (await readlink(`/proc/${pid}/cwd`).catch(() => '')) === directory)
}

async function findProcesses(matches: (pid: number) => Promise<boolean>): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry)).map(Number)
  const matched = await Promise.all(pids.map(matches))
  return pids.filter((_, index) => matched[index])
}

// Returns true if the process holds no more resources. An orphan stays a zombie until its parent reaps it, in some containers
// forever. But while other threads are still ending, the zombie of the main thread still holds the ports.
function isBuried({ state, threads }: Stat): boolean {
  return state === 'Z' && threads <= 1
}

async function readStat(pid: number): Promise<Stat | undefined> {
  let text: string
  try {
    text = await readFile(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return undefined
  }
  // The second field is the program's name in parentheses and may contain spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state = '', parentPid] = fields
  return { state, parentPid: Number(parentPid), threads: Number(fields[17]), startTicks: fields[19] ?? '' }
}

async function readBootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()
}
