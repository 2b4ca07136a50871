import { join } from 'node:path'
import { cacheDirectory, isPacked } from '../engine-packages.ts'

const usualDirectory = isPacked ? join(cacheDirectory, 'stacks') : join(import.meta.dirname, '../../.devstack')

/** The directory that contains all stacks of this checkout, or of the packed service. Tests use another directory. */
export function stacksDirectory(): string {
  return process.env['BROADGAUGE_DEVSTACK_DIR'] || usualDirectory
}

export function stackDirectory(name: string): string {
  if (!/^[a-z0-9][a-z0-9_-]{0,40}$/.test(name)) {
    throw new Error(`"${name}" cannot name a stack: use lower-case letters, digits, - and _.`)
  }
  return join(stacksDirectory(), name)
}
