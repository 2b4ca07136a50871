/**
 * Checks that package-lock.json contains every optional platform package that it refers to. `npm ci` refuses an incomplete
 * lock. npm writes an incomplete lock without a warning if the registry does not have the newest binaries of other platforms
 * yet.
 */
import { readFileSync } from 'node:fs'

type Entry = { optionalDependencies?: Record<string, string> }

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Entry> }

const missing = Object.entries(lock.packages).flatMap(([path, { optionalDependencies = {} }]) =>
  Object.keys(optionalDependencies)
    .filter((name) => !resolves(path, name))
    .map((name) => `${path || 'the project'} -> ${name}`),
)
process.stdout.write(missing.length === 0 ? 'The lock is complete.\n' : `The lock lacks:\n${missing.join('\n')}\n`)
process.exitCode = missing.length === 0 ? 0 : 1

/** Returns true if the lock contains this dependency. It searches like Node does: from the package's own folder upwards. */
function resolves(from: string, name: string): boolean {
  if (`${from === '' ? '' : `${from}/`}node_modules/${name}` in lock.packages) return true
  if (from === '') return false
  const upwards = from.lastIndexOf('/node_modules/')
  return resolves(upwards === -1 ? '' : from.slice(0, upwards), name)
}
