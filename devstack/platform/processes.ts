import { execFile } from 'node:child_process'
import { readFile, readdir, readlink } from 'node:fs/promises'
import { promisify } from 'node:util'

/** `hasEnded` is true for a zombie, which holds no more resources. `startedAt` differs between processes of the same id. */
type ProcessState = { readonly hasEnded: boolean; readonly parentPid: number; readonly startedAt: string }

/** What the development stack asks the operating system about processes. */
export type Processes = {
  readonly pids: () => Promise<number[]>
  readonly read: (pid: number) => Promise<ProcessState | undefined>
  readonly workingDirectory: (pid: number) => Promise<string>
  /** Changes when the machine starts again. */
  readonly bootId: () => Promise<string>
}

export const linuxProcesses: Processes = {
  pids: async () => (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry)).map(Number),
  read: async (pid) => {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
    if (text === null) return undefined
    // The second field is the program's name in parentheses and may contain spaces and parentheses.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    // An orphan stays a zombie until its parent reaps it, in some containers forever. But while other threads are still
    // ending, the zombie of the main thread still holds the ports.
    const hasEnded = fields[0] === 'Z' && Number(fields[17]) <= 1
    return { hasEnded, parentPid: Number(fields[1]), startedAt: fields[19] ?? '' }
  },
  workingDirectory: (pid) => readlink(`/proc/${pid}/cwd`).catch(() => ''),
  bootId: async () => (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim(),
}

/** For macOS, which has no /proc. Tested on Linux, except for `workingDirectory` and `bootId`. */
export const psProcesses: Processes = {
  pids: async () => (await output('ps', ['-A', '-o', 'pid='])).split('\n').filter(Boolean).map(Number),
  read: async (pid) => {
    const text = await output('ps', ['-o', 'stat=,ppid=,lstart=', '-p', String(pid)])
    const [, stat, parentPid, startedAt] = /^\s*(\S+)\s+(\d+)\s+(.+?)\s*$/.exec(text) ?? []
    if (stat === undefined || startedAt === undefined) return undefined
    return { hasEnded: stat.startsWith('Z'), parentPid: Number(parentPid), startedAt }
  },
  workingDirectory: async (pid) =>
    /^n(.*)$/m.exec(await output('lsof', ['-a', '-d', 'cwd', '-p', String(pid), '-Fn']))?.[1] ?? '',
  bootId: async () => (await output('sysctl', ['-n', 'kern.bootsessionuuid'])).trim(),
}

/** Returns an empty text if the program fails: `ps` fails for a process that does not exist. */
const output = async (program: string, programArguments: string[]): Promise<string> =>
  promisify(execFile)(program, programArguments, { env: { ...process.env, LC_ALL: 'C' } }).then(
    ({ stdout }) => stdout,
    () => '',
  )

export const processesOf = (platform: string): Processes => (platform === 'linux' ? linuxProcesses : psProcesses)
