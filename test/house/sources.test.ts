import { globSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, it } from 'vitest'

const sources = globSync(
  ['src/**/*.ts', 'synth/**/*.ts', 'devstack/**/*.ts', 'clients/**/*.ts', 'console/**/*.{ts,tsx,css}'],
  {
    exclude: ['**/node_modules/**', 'clients/typescript/src/generated/**', '**/dist/**'],
  },
).map((path) => ({
  path,
  text: readFileSync(path, 'utf8'),
}))

const linesMax = 300

const lines = (text: string): number => text.trimEnd().split('\n').length

it('keeps every file under the line limit', () => {
  const long = sources.filter(({ text }) => lines(text) > linesMax)
  expect(long.map(({ path, text }) => `${path}: ${lines(text)} lines`)).toEqual([])
})

it('keeps folders small, except the catalogue and routes', () => {
  const folders = Map.groupBy(
    sources.filter(({ path }) => path.startsWith('src/') && !/^src\/catalog\/|\/routes\//.test(path)),
    ({ path }) => dirname(path),
  )
  expect(folders.size).toBeGreaterThan(40)
  expect([...folders].filter(([, files]) => files.length > 20).map(([folder]) => folder)).toEqual([])
})

const inFolders = (...folders: string[]) =>
  sources.filter(({ path }) => folders.some((folder) => path.startsWith(`src/${folder}/`)))

const offending = (files: typeof sources, pattern: RegExp): string[] =>
  files.filter(({ text }) => pattern.test(text)).map(({ path }) => path)

it('reads the environment in serve/ only', () => {
  const others = sources.filter(({ path }) => path.startsWith('src/') && !path.startsWith('src/serve/'))
  expect(offending(others, /process\.(env|argv)|import\.meta\.env/)).toEqual([])
})

it('reads no clock and no random source in the pure folders: "now" and randomness are arguments', () => {
  const pure = inFolders('base', 'catalog', 'check', 'compile', 'envelope')
  expect(
    offending(pure, /Date\.now|new Date\(\)|Temporal\.Now|Math\.random|randomBytes|randomUUID|performance\.now/),
  ).toEqual([])
})

it('writes raw SQL text in base/sql.ts only; all other SQL uses the tag', () => {
  expect(
    offending(
      sources.filter(({ path }) => path !== 'src/base/sql.ts'),
      /Sql\.raw\(/,
    ),
  ).toEqual([])
})

it('has no folder with a meaningless name', () => {
  expect(
    sources.filter(({ path }) => /\/(shared|utils|helpers|common|lib)\//.test(path)).map(({ path }) => path),
  ).toEqual([])
})

it('uses camel case only for files named after a public key', () => {
  const named = sources.filter(({ path }) => !path.startsWith('src/catalog/metrics/'))
  expect(named.filter(({ path }) => /[A-Z]/.test(path)).map(({ path }) => path)).toEqual([])
})
