import { readFileSync } from 'node:fs'

/** Of the package, which is the version of everything in it. */
export const { version }: { version: string } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
)
