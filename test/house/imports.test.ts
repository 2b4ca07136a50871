import { readFileSync } from 'node:fs'
import { cruise, type ICruiseResult, type IModule } from 'dependency-cruiser'
import extractTsConfig from 'dependency-cruiser/config-utl/extract-ts-config'
import { beforeAll, expect, it } from 'vitest'

/** The folders of src/ in the order a request walks them, which is also the alphabet's. */
const folders = [
  'base',
  'catalog',
  'check',
  'compile',
  'engine',
  'envelope',
  'execute',
  'http',
  'ingest',
  'jobs',
  'limits',
  'serve',
]
const pure = ['base', 'catalog', 'check', 'compile', 'envelope']

/** Packages and built-ins that only some folders may know. */
const onlyIn: [RegExp, string[]][] = [
  [/^(pg|@clickhouse\/|@aws-sdk\/|openid-client)/, ['engine']],
  [/^(fastify|@fastify\/)/, ['http']],
  [/^(pino|prom-client|@opentelemetry\/|commander|close-with-grace|csv-parse)/, ['serve']],
]

/** Deterministic parts of Node; everything else of it talks to the outside. */
const pureBuiltins = new Set(['crypto', 'zlib'])

let modules: IModule[]

beforeAll(async () => {
  const { output } = await cruise(
    ['src'],
    { doNotFollow: { path: 'node_modules' }, tsPreCompilationDeps: true, combinedDependencies: true },
    undefined,
    { tsConfig: extractTsConfig('tsconfig.json') },
  )
  modules = (output as ICruiseResult).modules.filter(({ source }) => source.startsWith('src/'))
})

const folderOf = (path: string): string => path.split('/')[1] ?? ''

it('looks at every source file, not at none', () => {
  // With a TypeScript that dependency-cruiser cannot load it passes on zero modules.
  expect(modules.length).toBeGreaterThan(60)
})

it('imports point backwards only, so there is no loop between folders', () => {
  const forward = modules.flatMap(({ source, dependencies }) =>
    dependencies
      .filter(({ resolved }) => resolved.startsWith('src/'))
      .filter(({ resolved }) => folders.indexOf(folderOf(resolved)) > folders.indexOf(folderOf(source)))
      .map(({ resolved }) => `${source} -> ${resolved}`),
  )
  expect(forward).toEqual([])
})

it('has no folder the order does not know', () => {
  expect(new Set(modules.map(({ source }) => folderOf(source))).difference(new Set(folders))).toEqual(new Set())
})

it('imports have no loops between files either', () => {
  const loops = modules.filter(({ dependencies }) => dependencies.some(({ circular }) => circular))
  expect(loops.map(({ source }) => source)).toEqual([])
})

it('has no small file with a single importer: it belongs there; catalogue, routes and commands excepted', () => {
  const small = modules
    .filter(({ source }) => !/^src\/catalog\/|\/routes\/|^src\/serve\/commands\//.test(source))
    .filter(({ dependents }) => dependents.length === 1)
    .filter(({ source }) => readFileSync(source, 'utf8').split('\n').length <= 20)
  expect(small.map(({ source }) => source)).toEqual([])
})

it('keeps base, catalog, check, compile and envelope free of the outside world', () => {
  const impure = modules
    .filter(({ source }) => pure.includes(folderOf(source)))
    .flatMap(({ source, dependencies }) =>
      dependencies
        .filter(({ coreModule, resolved }) => (coreModule ? !pureBuiltins.has(resolved) : !resolved.startsWith('src/')))
        .map(({ resolved }) => `${source} -> ${resolved}`),
    )
  expect(impure).toEqual([])
})

it('keeps drivers in engine/, Fastify in http/, the command line in serve/', () => {
  const strays = modules.flatMap(({ source, dependencies }) =>
    dependencies.flatMap(({ module }) =>
      onlyIn
        .filter(([packages, allowed]) => packages.test(module) && !allowed.includes(folderOf(source)))
        .map(() => `${source} -> ${module}`),
    ),
  )
  expect(strays).toEqual([])
})
