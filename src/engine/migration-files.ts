import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'

export type MigrationFile = { name: string; text: string; checksum: string }
export type AppliedMigration = { name: string; checksum: string }

/** The numbered files of one store, in order. */
export async function findMigrationFiles(store: 'postgres' | 'clickhouse'): Promise<MigrationFile[]> {
  const folder = new URL(`../../migrations/${store}/`, import.meta.url)
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), 'utf8')
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

/** Files still to run. What has run is history: it may neither change nor vanish nor be overtaken. */
export function pendingMigrations(files: MigrationFile[], applied: AppliedMigration[]): MigrationFile[] {
  const byName = new Map(files.map((file) => [file.name, file]))
  for (const { name, checksum } of applied) {
    const file = byName.get(name)
    if (file === undefined) throw new Error(`migration ${name} has been applied but is not in this version: downgrade?`)
    if (file.checksum !== checksum) {
      throw new Error(`migration ${name} was changed after it had been applied: restore it and write a new one`)
    }
  }
  const done = new Set(applied.map(({ name }) => name))
  const pending = files.filter(({ name }) => !done.has(name))
  const last = [...done].toSorted().at(-1) ?? ''
  const overtaken = pending.find(({ name }) => name < last)
  if (overtaken) throw new Error(`migration ${overtaken.name} is numbered before ${last}, which has been applied`)
  return pending
}
