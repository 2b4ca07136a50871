import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** True in the packed service. It comes without the packages of the stores, and its directory may be read-only. */
export const isPacked = import.meta.filename.endsWith('.js')

export const ownExtension = isPacked ? '.js' : '.ts'

/**
 * Directory for the packages and data of the stores that the demo of the packed service uses. It can be deleted at any time.
 */
export const cacheDirectory = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'broadgauge')

/**
 * Directory of the packages of the stores. The variable passes it to the process of a store, which gets no other part of our
 * environment.
 */
export const enginesDirectory = process.env['DEVSTACK_ENGINES'] ?? join(cacheDirectory, 'engines')

/** False in a clone on Linux and x86-64, where `npm ci` has installed the packages of the stores. */
export const isCached = isPacked || process.platform !== 'linux' || process.arch !== 'x64'

/** Resolves the packages of the stores: next to this folder, or in the cache. */
const from = isCached ? createRequire(join(enginesDirectory, 'package.json')) : createRequire(import.meta.url)

export const enginePackagePath = (name: string): string => from.resolve(name)

export const importEnginePackage = (name: string): Promise<unknown> =>
  import(pathToFileURL(enginePackagePath(name)).href)

export const requireEnginePackage = (name: string): unknown => from(name)
