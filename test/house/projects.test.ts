import { globSync } from 'node:fs'
import { expect, it } from 'vitest'
import { slow, unit } from '../kit/projects.ts'
import { reachedFrom } from './reached-files.ts'

const all = globSync('test/**/*.test.ts')
const withoutStores = new Set(globSync([...unit, ...slow]))

const opensStores = /^(test\/kit\/(world|run-sql|global-setup)\.ts|devstack\/(index|faults|stack-up|stack-down)\.ts$)/
const drivers = /^(pg|@clickhouse\/client|@aws-sdk\/.*|playwright-core)$/
const usesRun = /^import \{[^}]*\binject\b[^}]*\} from 'vitest'/m

/**
 * Returns the reason why a test needs stores, or null. An import of a driver in a file of src/ is not a reason, because
 * the file may not connect. An import of a driver in a test file is a reason.
 */
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

it('finds that a test uses stores through imported files', () => {
  expect(storeReached('test/http/tokens.test.ts')).toMatch(/^test\/kit\//)
  expect(storeReached('test/console/page.test.ts')).toBe('test/console/console-world.ts -> playwright-core')
  expect(storeReached('test/features/tenancy/mutants.test.ts')).toBe('test/features/tenancy/mutants.test.ts -> inject')
  expect(storeReached('test/base/sql.test.ts')).toBeNull()
})

it('has no test in the projects unit and slow that reaches a store', () => {
  const strays = [...withoutStores].map((path) => [path, storeReached(path)]).filter(([, reached]) => reached !== null)
  expect(strays).toEqual([])
})

it('has no test among those with stores that needs none', () => {
  expect(all.filter((path) => !withoutStores.has(path) && storeReached(path) === null)).toEqual([])
})

it('names only files that exist', () => {
  const names = [...unit, ...slow].flatMap(alternatives)
  expect(names.filter((name) => globSync(name).length === 0)).toEqual([])
})

/** Expands `a/{b,c}.ts` to `a/b.ts` and `a/c.ts`. */
function alternatives(pattern: string): string[] {
  const [, before = '', inside, after = ''] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(pattern) ?? []
  return inside === undefined ? [pattern] : inside.split(',').map((one) => `${before}${one}${after}`)
}
