import { mkdir, readFile, readdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withLock } from '../lock.ts'
import type { ObjectStorage } from '../objects/storage.ts'
import { stackDirectory, stacksDirectory } from './directories.ts'
import { type StackPorts, allPorts, chooseClickHousePorts, chooseObjectPorts, choosePostgresPort } from './ports.ts'
import { type StackSecrets, newSecrets } from './secrets.ts'

/** What stack.json stores about a stack. Everything else is derived from it. */
export type StackRecord = {
  name: string
  directory: string
  shards: number
  objects: ObjectStorage
  ports: StackPorts
  secrets: StackSecrets
}

export async function readRecord(name: string): Promise<StackRecord | undefined> {
  const directory = stackDirectory(name)
  try {
    const stored = JSON.parse(await readFile(join(directory, 'stack.json'), 'utf8')) as Omit<StackRecord, 'directory'>
    // Stacks of earlier versions have no `objects`: they use Ceph.
    return { ...stored, objects: stored.objects ?? 'ceph', directory }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

export async function createRecord(name: string, shards: number, objects: ObjectStorage): Promise<StackRecord> {
  return choosingPorts(async (avoid) => {
    const clickhouse = []
    for (let shard = 0; shard < shards; shard++) clickhouse.push(await chooseClickHousePorts(avoid))
    const ports = { postgres: await choosePostgresPort(avoid), clickhouse, objects: await chooseObjectPorts(avoid) }
    const record = { name, directory: stackDirectory(name), shards, objects, ports, secrets: newSecrets() }
    await writeRecord(record)
    return record
  })
}

export async function writeRecord({ directory, ...stored }: StackRecord): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const file = join(directory, 'stack.json')
  await writeFile(`${file}.new`, `${JSON.stringify(stored, undefined, 2)}\n`, { mode: 0o600 })
  await rename(`${file}.new`, file)
}

/** Only one stack chooses ports at a time, so that two stacks created concurrently do not choose the same ports. */
export async function choosingPorts<Result>(choose: (avoid: Set<number>) => Promise<Result>): Promise<Result> {
  return withLock(join(stacksDirectory(), '*ports*'), async () => choose(new Set(await portsOfAllStacks())))
}

async function portsOfAllStacks(): Promise<number[]> {
  const entries = await readdir(stacksDirectory(), { withFileTypes: true }).catch(() => [])
  const records = await Promise.all(entries.filter((entry) => entry.isDirectory()).map(({ name }) => readRecord(name)))
  return records.flatMap((record) => (record ? allPorts(record.ports) : []))
}
