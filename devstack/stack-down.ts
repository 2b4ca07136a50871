import { rm } from 'node:fs/promises'
import { componentsOf } from './components.ts'
import { withLock } from './lock.ts'
import { stackDirectory } from './record/directories.ts'
import { readRecord } from './record/stack-record.ts'
import { stop } from './start-and-stop.ts'

/** Stops all components cleanly. Keeps the data unless `wipe` is true. */
export async function stackDown({ name, wipe = false }: { name: string; wipe?: boolean }): Promise<void> {
  const directory = stackDirectory(name)
  await withLock(directory, async () => {
    const record = await readRecord(name)
    if (record) await Promise.all(componentsOf(record).map(stop))
    if (wipe) await rm(directory, { recursive: true, force: true })
  })
}
