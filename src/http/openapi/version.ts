import { readFileSync } from 'node:fs'

/** The version of the package is also the version of the API. */
export const { version }: { version: string } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
)
