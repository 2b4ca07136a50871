import { globSync, readFileSync } from 'node:fs'
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

it('documents every error exactly as it is sent, and no other', () => {
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

it('documents the default of every setting as it is', () => {
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

it('documents how long a query waits for a place in a copy as it is', () => {
  const seconds = limits.capacityWaitMs / 1_000
  const isSaid = (text: string | undefined, unit: string) => text?.includes(` wait for up to ${seconds} ${unit}`)
  expect(isSaid(configSchema.shape.BROADGAUGE_QUERIES_MAX.description, 'seconds')).toBe(true)
  const settings = rowsOf('docs/configuration.md').find(([name]) => name === 'BROADGAUGE_QUERIES_MAX')
  expect(isSaid(settings?.at(-1), 'seconds')).toBe(true)
  expect(isSaid(readFileSync('docs/operations.md', 'utf8'), 'seconds')).toBe(true)
  expect(isSaid(readFileSync('docs/api.md', 'utf8'), 's')).toBe(true)
})

it('gives every dependency its reason', () => {
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

it('links only to files that are there', () => {
  const broken = globSync(['*.md', 'docs/**/*.md']).flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/\]\((?!https?:|#|mailto:)([^)#]+)/g)]
      .map(([, target]) => new URL(target ?? '', `file://${process.cwd()}/${path}`))
      .filter((url) => globSync(decodeURIComponent(url.pathname)).length === 0)
      .map((url) => `${path} -> ${url.pathname}`),
  )
  expect(broken).toEqual([])
})

it('lists every decision once, under the title of its page', () => {
  const listed = rowsOf('docs/decisions/README.md')
    .filter(([number]) => /^\d+$/.test(number ?? ''))
    .map(([number, link]) => `${number}. ${link}`)
  const written = globSync('docs/decisions/[0-9]*.md').map((path) => {
    const [number, title] = /^# (\d+)\. (.*)/.exec(readFileSync(path, 'utf8'))?.slice(1) ?? []
    return `${number}. [${title}](${path.replace(/^.*\//, '')})`
  })
  expect(listed).toEqual(written.toSorted((one, other) => parseInt(one, 10) - parseInt(other, 10)))
})

it.each(['postgres', 'clickhouse'])('numbers the migrations of %s without gap or repetition', (store) => {
  const numbers = globSync(`migrations/${store}/*.sql`).map((path) => Number(/(\d{4})_/.exec(path)?.[1]))
  expect(numbers.toSorted((one, other) => one - other)).toEqual(numbers.map((_, index) => index + 1))
})

it('describes every route, and no other, for the OpenAPI document', () => {
  const served = routes.map(({ method, path }) => `${method} ${path}`)
  expect(Object.keys(operations(catalog)).toSorted()).toEqual(served.toSorted())
})

it('lists every route at the beginning of the API by example, and no other', () => {
  const listed = rowsOf('docs/api.md').filter(([, method]) => /^(GET|POST|PUT|DELETE)$/.test(method ?? ''))
  const served = routes.map(({ interface: name, method, path, scope }) =>
    [name, method, path.replaceAll(/:(\w+)/g, '{$1}'), scope ?? 'none'].join(' '),
  )
  expect(listed.map((cells) => cells.join(' ')).toSorted()).toEqual(served.toSorted())
})

it('describes every route of the console’s own interface, and no other', () => {
  const visited = redirectPaths.map((path) => `GET ${path}`)
  const served = [...[...consoleRoutes, ...sessionRoutes].map(({ method, path }) => `${method} ${path}`), ...visited]
  expect(Object.keys(consoleOperations).toSorted()).toEqual(served.toSorted())
})

it('has the reference of metrics and tests that the catalogue makes', async () => {
  expect(readFileSync('docs/metrics.md', 'utf8'), 'run node .ci/metrics-reference.ts').toBe(await metricsReference())
})
