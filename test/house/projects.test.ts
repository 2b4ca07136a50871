import { globSync } from 'node:fs'
import { expect, it } from 'vitest'
import { slow, unit } from '../kit/projects.ts'
import { reachedFrom } from './reached-files.ts'

const all = globSync('test/**/*.test.ts')
const withoutStores = new Set(globSync([...unit, ...slow]))

const opensStores = /^(test\/kit\/(world|run-sql|global-setup)\.ts|devstack\/)/
const drivers = /^(pg|@clickhouse\/client|@aws-sdk\/.*|playwright-core)$/
const usesRun = /^import \{[^}]*\binject\b[^}]*\} from 'vitest'/m

/** Why a test needs stores, or null. Code of the service may load a driver; a test that does so itself opens it. */
function storeReached(test: string): string | null {
  for (const { path, text, packages } of reachedFrom(test)) {
    if (opensStores.test(path)) return path
    if (!path.startsWith('test/')) continue
    if (usesRun.test(text)) return `${path} -> inject`
    const driver = packages.find((name) => drivers.test(name))
    if (driver !== undefined) return `${path} -> ${driver}`
  }
  return null
}

it('finds the stores of a test that has them, through other files', () => {
  expect(storeReached('test/http/tokens.test.ts')).toMatch(/^test\/kit\//)
  expect(storeReached('test/console/page.test.ts')).toBe('test/console/console-world.ts -> playwright-core')
  expect(storeReached('test/features/tenancy/mutants.test.ts')).toBe('test/features/tenancy/mutants.test.ts -> inject')
  expect(storeReached('test/base/sql.test.ts')).toBeNull()
})

it('lets no test of the projects unit and slow reach a store', () => {
  const strays = [...withoutStores].map((path) => [path, storeReached(path)]).filter(([, reached]) => reached !== null)
  expect(strays).toEqual([])
})

it('starts stores for no test that needs none: such a test is in the project unit', () => {
  expect(all.filter((path) => !withoutStores.has(path) && storeReached(path) === null)).toEqual([])
})

it('names no file that is not there', () => {
  const names = [...unit, ...slow].flatMap(alternatives)
  expect(names.filter((name) => globSync(name).length === 0)).toEqual([])
})

/** `a/{b,c}.ts` as `a/b.ts` and `a/c.ts`. */
function alternatives(pattern: string): string[] {
  const [, before = '', inside, after = ''] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(pattern) ?? []
  return inside === undefined ? [pattern] : inside.split(',').map((one) => `${before}${one}${after}`)
}
