import { readFileSync } from 'node:fs'
import { cruise, type ICruiseResult, type IModule } from 'dependency-cruiser'
import extractTsConfig from 'dependency-cruiser/config-utl/extract-ts-config'
import { beforeAll, expect, it } from 'vitest'

/** The folders of src/ in the order in which a request passes through them. This is also their alphabetical order. */
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

/** Packages and built-in modules that only some folders may import. */
const onlyIn: [RegExp, string[]][] = [
  [/^(pg|@clickhouse\/|@aws-sdk\/|openid-client)/, ['engine']],
  [/^(fastify|@fastify\/|echarts)/, ['http']],
  [/^(pino|prom-client|@opentelemetry\/|commander|close-with-grace|csv-parse)/, ['serve']],
]

/** Built-in modules of Node that do no I/O. All other built-in modules do I/O. */
const pureBuiltins = new Set(['crypto', 'zlib'])

/** The folders whose files may not import each other in a cycle. An import of types counts too. */
const withoutCycles = ['src', 'synth', 'console/src']

let all: IModule[]
let modules: IModule[]

beforeAll(async () => {
  const { output } = await cruise(
    withoutCycles,
    { doNotFollow: { path: 'node_modules' }, tsPreCompilationDeps: true, combinedDependencies: true },
    undefined,
    { tsConfig: extractTsConfig('tsconfig.json') },
  )
  all = (output as ICruiseResult).modules.filter(({ source }) => isIn(withoutCycles, source))
  modules = all.filter(({ source }) => isIn(['src'], source))
})

const isIn = (roots: string[], path: string): boolean => roots.some((root) => path.startsWith(`${root}/`))

const folderOf = (path: string): string => path.split('/')[1] ?? ''

it('checks more than zero source files', () => {
  // If dependency-cruiser cannot load the installed TypeScript version, it finds no modules and reports no violation.
  expect(modules.length).toBeGreaterThan(60)
  expect(all.filter(({ source }) => isIn(['synth'], source)).length).toBeGreaterThan(20)
  expect(all.filter(({ source }) => isIn(['console/src'], source)).length).toBeGreaterThan(60)
})

it('has imports from earlier folders only, so that folders have no cycle', () => {
  const forward = modules.flatMap(({ source, dependencies }) =>
    dependencies
      .filter(({ resolved }) => resolved.startsWith('src/'))
      .filter(({ resolved }) => folders.indexOf(folderOf(resolved)) > folders.indexOf(folderOf(source)))
      .map(({ resolved }) => `${source} -> ${resolved}`),
  )
  expect(forward).toEqual([])
})

it('has only folders that the order contains', () => {
  expect(new Set(modules.map(({ source }) => folderOf(source))).difference(new Set(folders))).toEqual(new Set())
})

it('has no import cycles between files', () => {
  const loops = all.filter(({ dependencies }) => dependencies.some(({ circular }) => circular))
  expect(loops.map(({ source }) => source)).toEqual([])
})

it('has no small file with a single importer, except in the catalogue, routes and commands', () => {
  const small = modules
    .filter(({ source }) => !/^src\/catalog\/|\/routes\/|^src\/serve\/commands\//.test(source))
    .filter(({ dependents }) => dependents.filter((path) => isIn(['src'], path)).length === 1)
    .filter(({ source }) => readFileSync(source, 'utf8').split('\n').length <= 20)
  expect(small.map(({ source }) => source)).toEqual([])
})

it('keeps I/O out of base, catalog, check, compile and envelope', () => {
  const impure = modules
    .filter(({ source }) => pure.includes(folderOf(source)))
    .flatMap(({ source, dependencies }) =>
      dependencies
        .filter(({ coreModule, resolved }) => (coreModule ? !pureBuiltins.has(resolved) : !resolved.startsWith('src/')))
        .map(({ resolved }) => `${source} -> ${resolved}`),
    )
  expect(impure).toEqual([])
})

it('keeps drivers in engine/, Fastify and ECharts in http/, the command line in serve/', () => {
  const strays = modules.flatMap(({ source, dependencies }) =>
    dependencies.flatMap(({ module }) =>
      onlyIn
        .filter(([packages, allowed]) => packages.test(module) && !allowed.includes(folderOf(source)))
        .map(() => `${source} -> ${module}`),
    ),
  )
  expect(strays).toEqual([])
})
