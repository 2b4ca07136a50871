import { processesOf } from '../platform/processes.ts'

/**
 * Identifies a process. A pid alone is not sufficient, because the kernel reuses pids. The start time and the boot id make it
 * unique.
 */
export type ProcessIdentity = { pid: number; startTicks: string; bootId: string }

const processes = processesOf(process.platform)

export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  const state = await processes.read(pid)
  if (state === undefined || state.hasEnded) return undefined
  return { pid, startTicks: state.startedAt, bootId: await processes.bootId() }
}

export async function isSameProcess(identity: ProcessIdentity): Promise<boolean> {
  const current = await identifyProcess(identity.pid)
  return current?.startTicks === identity.startTicks && current.bootId === identity.bootId
}

export async function findChildren(parentPid: number): Promise<number[]> {
  return findProcesses(async (pid) => (await processes.read(pid))?.parentPid === parentPid)
}

/** Returns the processes that have this working directory. */
export async function findProcessesIn(directory: string): Promise<number[]> {
  return findProcesses(async (pid) => (await processes.workingDirectory(pid)) === directory)
}

async function findProcesses(matches: (pid: number) => Promise<boolean>): Promise<number[]> {
  const pids = await processes.pids()
  const matched = await Promise.all(pids.map(matches))
  return pids.filter((_, index) => matched[index])
}
