import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import type { z } from 'zod'
import { metricsReference } from '../../.ci/metrics-reference.ts'
import { faultTable } from '../../src/base/fault.ts'
import { limits } from '../../src/base/limits.ts'
import { catalog } from '../../src/catalog/catalog.ts'
import { metrics } from '../../src/catalog/metrics/index.ts'
import { tests } from '../../src/catalog/tests/index.ts'
import { consoleOperations } from '../../src/http/console-api/operations.ts'
import { redirectPaths } from '../../src/http/console-api/mount-redirects.ts'
import { consoleRoutes, sessionRoutes } from '../../src/http/console-api/routes/index.ts'
import { operations } from '../../src/http/openapi/document.ts'
import { linkForms } from '../../src/http/links/answer-link.ts'
import { routes } from '../../src/http/routes/index.ts'
import { configSchema } from '../../src/serve/config-schema.ts'

const rowsOf = (path: string): string[][] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    )

it('documents every error exactly as the service sends it, and no other', () => {
  const documented = rowsOf('docs/errors.md')
    .filter(([status]) => /^\d{3}$/.test(status ?? ''))
    .map(([status, code, message]) => ({ code, status: Number(status), message }))
  const sent = Object.entries(faultTable).map(([code, { status, message }]) => ({ code, status, message }))
  expect(documented.toSorted(byCode)).toEqual(sent.toSorted(byCode))
})

const byCode = (one: { code: string | undefined }, other: { code: string | undefined }) =>
  String(one.code).localeCompare(String(other.code))

it('documents every setting, and no other', () => {
  const documented = rowsOf('docs/configuration.md')
    .map(([name]) => name ?? '')
    .filter((name) => name.startsWith('BROADGAUGE_'))
  expect(documented.toSorted()).toEqual(Object.keys(configSchema.shape).toSorted())
})

it('documents the real default of every setting', () => {
  const defaultOf = (setting: z.ZodType): string => {
    const { success, data } = setting.safeParse(undefined)
    if (!success) return 'required'
    if (data === undefined) return '–'
    const text = Array.isArray(data) ? data.join(',') : typeof data === 'string' ? data : JSON.stringify(data)
    return ['', '{}'].includes(text) ? '(empty)' : text
  }
  const documented = rowsOf('docs/configuration.md').filter(([name]) => name?.startsWith('BROADGAUGE_'))
  const shape: Record<string, z.ZodType> = configSchema.shape
  const actual = documented.map(([name = '']) => [name, defaultOf(shape[name] as z.ZodType)])
  expect(documented.map(([name, value]) => [name, value])).toEqual(actual)
})

it('documents the real time that a query waits for a slot', () => {
  const seconds = limits.capacityWaitMs / 1_000
  const isSaid = (text: string | undefined, unit: string) => text?.includes(` wait for up to ${seconds} ${unit}`)
  expect(isSaid(configSchema.shape.BROADGAUGE_QUERIES_MAX.description, 'seconds')).toBe(true)
  const settings = rowsOf('docs/configuration.md').find(([name]) => name === 'BROADGAUGE_QUERIES_MAX')
  expect(isSaid(settings?.at(-1), 'seconds')).toBe(true)
  expect(isSaid(readFileSync('docs/operations.md', 'utf8'), 'seconds')).toBe(true)
  expect(isSaid(readFileSync('docs/api.md', 'utf8'), 's')).toBe(true)
})

it('documents a reason for every dependency', () => {
  const reasons = readFileSync('docs/dependencies.md', 'utf8')
  const names = ['package.json', 'console/package.json', 'devstack/package.json'].flatMap((path) => {
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as Record<string, Record<string, string> | undefined>
    return ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((kind) =>
      Object.keys(manifest[kind] ?? {}),
    )
  })
  expect(names.filter((name) => !reasons.includes(`\`${name}\``))).toEqual([])
})

it('lists every test and metric file in its index, under its own key', () => {
  const keys = (folder: string) =>
    globSync(`src/catalog/${folder}/*.ts`)
      .filter((path) => readFileSync(path, 'utf8').includes('export default'))
      .map((path) => path.replace(/^.*\/|\.ts$/g, ''))
      .toSorted()
  expect(tests.map(({ key }) => key).toSorted()).toEqual(keys('tests'))
  expect(metrics.map(({ key }) => key).toSorted()).toEqual(keys('metrics'))
})

it('links only to files that exist', () => {
  const broken = globSync(['*.md', 'docs/**/*.md']).flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/\]\((?!https?:|#|mailto:)([^)#]+)/g)]
      .map(([, target]) => new URL(target ?? '', `file://${process.cwd()}/${path}`))
      .filter((url) => globSync(decodeURIComponent(url.pathname)).length === 0)
      .map((url) => `${path} -> ${url.pathname}`),
  )
  expect(broken).toEqual([])
})

it('lists every page about internals once in their index, and every page has its three parts', () => {
  const listed = rowsOf('docs/internals/README.md').flatMap(
    ([link = '']) => /^\[(.+)\]\(\1\.md\)$/.exec(link)?.[1] ?? [],
  )
  const pages = globSync('docs/internals/*.md')
    .map((path) => path.replace(/^.*\/|\.md$/g, ''))
    .filter((name) => name !== 'README')
  expect(listed.toSorted()).toEqual(pages.toSorted())
  const incomplete = pages.filter((name) => {
    const headings = [...readFileSync(`docs/internals/${name}.md`, 'utf8').matchAll(/^## (.*)/gm)].map(
      ([, title]) => title,
    )
    return headings[0] !== 'Invariants' || headings.at(-1) !== 'Rejected alternatives' || headings.length < 3
  })
  expect(incomplete).toEqual([])
})

it('names only source files that are there in the architecture and the pages about internals', () => {
  const missing = ['ARCHITECTURE.md', ...globSync('docs/internals/*.md')].flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/`((?:src|synth|test|deploy|devstack|\.ci)\/[\w./-]*)`/g)]
      .map(([, named]) => named ?? '')
      .filter((named) => globSync(named).length === 0)
      .map((named) => `${path} -> ${named}`),
  )
  expect(missing).toEqual([])
})

it('links only to headings that are there', () => {
  const headingsOf = (path: string): string[] => {
    const seen = new Map<string, number>()
    return [...readFileSync(path, 'utf8').matchAll(/^#+ (.*)/gm)].map(([, title = '']) => {
      const anchor = title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-')
      const before = seen.get(anchor) ?? 0
      seen.set(anchor, before + 1)
      return before === 0 ? anchor : `${anchor}-${before}`
    })
  }
  const broken = globSync(['*.md', 'docs/**/*.md']).flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/\]\((?!https?:|mailto:)([^)#]*)#([^)]+)\)/g)]
      .filter(
        ([, file, anchor]) => !headingsOf(file === '' ? path : join(dirname(path), file ?? '')).includes(anchor ?? ''),
      )
      .map(([, file, anchor]) => `${path} -> ${file}#${anchor}`),
  )
  expect(broken).toEqual([])
})

it.each(['postgres', 'clickhouse'])('numbers the migrations of %s without gaps or repetitions', (store) => {
  const numbers = globSync(`migrations/${store}/*.sql`).map((path) => Number(/(\d{4})_/.exec(path)?.[1]))
  expect(numbers.toSorted((one, other) => one - other)).toEqual(numbers.map((_, index) => index + 1))
})

it('defines every PostgreSQL function once, in the folder of functions', () => {
  const text = globSync('migrations/postgres/functions/*.sql').map((path) => readFileSync(path, 'utf8'))
  const defined = text.flatMap((one) => [...one.matchAll(/^CREATE (.*?)FUNCTION (\w+)/gm)])
  const names = defined.map(([, , name]) => name)
  expect(names.length).toBeGreaterThan(50)
  expect(new Set(names).size).toBe(names.length)
  expect(new Set(defined.map(([, how]) => how))).toEqual(new Set(['OR REPLACE ']))
  // A GRANT or REVOKE names a function without its arguments. The function must be defined in one of these files.
  const granted = text.flatMap((one) => [...one.matchAll(/^(?:GRANT|REVOKE) .* ON FUNCTION (\w+) (?:TO|FROM) /gm)])
  expect(granted.map(([, name]) => name).filter((name) => !names.includes(name))).toEqual([])
})

it('describes every route, and no other, for the OpenAPI document', () => {
  const served = [
    ...routes.map(({ method, path }) => `${method} ${path}`),
    ...linkForms.map(({ path }) => `GET ${path}`),
  ]
  expect(Object.keys(operations(catalog)).toSorted()).toEqual(served.toSorted())
})

it('lists every route at the start of the API by example, and no other', () => {
  const listed = rowsOf('docs/api.md').filter(([, method]) => /^(GET|POST|PUT|DELETE)$/.test(method ?? ''))
  const shared = linkForms.map(({ path }) => ({ interface: 'data', method: 'GET', path, scope: null }))
  const served = [...routes, ...shared].map(({ interface: name, method, path, scope }) =>
    [name, method, path.replaceAll(/:(\w+)/g, '{$1}'), scope ?? 'none'].join(' '),
  )
  expect(listed.map((cells) => cells.join(' ')).toSorted()).toEqual(served.toSorted())
})

it('describes every route of the console’s own interface, and no other', () => {
  const visited = redirectPaths.map((path) => `GET ${path}`)
  const served = [...[...consoleRoutes, ...sessionRoutes].map(({ method, path }) => `${method} ${path}`), ...visited]
  expect(Object.keys(consoleOperations).toSorted()).toEqual(served.toSorted())
})

it('has a reference of metrics and tests that matches the catalogue', async () => {
  expect(readFileSync('docs/metrics.md', 'utf8'), 'run npx node .ci/metrics-reference.ts').toBe(
    await metricsReference(),
  )
})
