import { join } from 'node:path'
import { importEnginePackage } from '../engine-packages.ts'
import { enginePackagesOf } from '../platform/packages.ts'

type Binaries = { initdb: string; postgres: string }

/** Finds PostgreSQL's programs: in a directory that the user has set, or in an npm package. */
export async function findPostgresBinaries(): Promise<Binaries> {
  const directory = process.env['BROADGAUGE_DEVSTACK_POSTGRES_BIN']
  if (directory) return { initdb: join(directory, 'initdb'), postgres: join(directory, 'postgres') }
  const packageName = enginePackagesOf(process.platform, process.arch).postgres
  try {
    return (await importEnginePackage(packageName)) as Binaries
  } catch (cause) {
    throw new Error(`PostgreSQL is not installed: the package ${packageName} is missing. Run "npm ci".`, { cause })
  }
}
