import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'

export type MigrationFile = { name: string; text: string; checksum: string }
export type AppliedMigration = { name: string; checksum: string }

/** The numbered migration files of one store, in order. */
export const findMigrationFiles = (store: 'postgres' | 'clickhouse'): Promise<MigrationFile[]> => readFiles(store, '')

/** The files with PostgreSQL's functions. Every migration runs all of them again, so their names have no numbers. */
export const findFunctionFiles = (): Promise<MigrationFile[]> => readFiles('postgres', functionsPrefix)

const functionsPrefix = 'functions/'

async function readFiles(store: string, prefix: string): Promise<MigrationFile[]> {
  const folder = new URL(`../../migrations/${store}/${prefix}`, import.meta.url)
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), 'utf8')
      return { name: `${prefix}${name}`, text, checksum: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

/**
 * Returns the files that have not been applied. Throws if an applied file has changed or is missing, or if a new file has a
 * lower number than an applied one.
 */
export function pendingMigrations(files: MigrationFile[], applied: AppliedMigration[]): MigrationFile[] {
  const byName = new Map(files.map((file) => [file.name, file]))
  const numbered = applied.filter(({ name }) => !name.startsWith(functionsPrefix))
  for (const { name, checksum } of numbered) {
    const file = byName.get(name)
    if (file === undefined) throw new Error(`migration ${name} has been applied but is not in this version: downgrade?`)
    if (file.checksum !== checksum) {
      throw new Error(`migration ${name} was changed after it had been applied: restore it and write a new one`)
    }
  }
  const done = new Set(numbered.map(({ name }) => name))
  const pending = files.filter(({ name }) => !done.has(name))
  const last = [...done].toSorted().at(-1) ?? ''
  const overtaken = pending.find(({ name }) => name < last)
  if (overtaken) throw new Error(`migration ${overtaken.name} is numbered before ${last}, which has been applied`)
  return pending
}

/** Returns the function files that the database has in another version, or does not have. */
export function changedFunctions(files: MigrationFile[], applied: AppliedMigration[]): MigrationFile[] {
  const checksums = new Map(applied.map(({ name, checksum }) => [name, checksum]))
  return files.filter(({ name, checksum }) => checksums.get(name) !== checksum)
}
