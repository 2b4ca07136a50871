import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Built, we are part of the packed service, which comes without engines and may lie where nothing can be written. */
export const isPacked = import.meta.filename.endsWith('.js')

export const ownExtension = isPacked ? '.js' : '.ts'

/** What the packed service keeps on a machine: engines and their data, for the demo. Safe to remove. */
export const cacheDirectory = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'broadgauge')

/** An engine's process is told, because it gets nothing of our environment that could name the cache. */
export const enginesDirectory = process.env['DEVSTACK_ENGINES'] ?? join(cacheDirectory, 'engines')

/** From here the engines' packages are found: beside us in a clone, in the cache else. */
const from = isPacked ? createRequire(join(enginesDirectory, 'package.json')) : createRequire(import.meta.url)

export const enginePackagePath = (name: string): string => from.resolve(name)

export const importEnginePackage = (name: string): Promise<unknown> =>
  import(pathToFileURL(enginePackagePath(name)).href)

export const requireEnginePackage = (name: string): unknown => from(name)
