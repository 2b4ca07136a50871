import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readSettings } from '../../src/serve/config.ts'

const read = (path: string): string => readFileSync(path, 'utf8')
const demo = read('deploy/compose.demo.yaml')
const compose = read('deploy/compose.yaml')

const settingsIn = (block: string): Record<string, string> =>
  Object.fromEntries(
    [...block.matchAll(/^ +(BROADGAUGE_\w+): '?([^'\n]+)'?$/gm)].map(([, name = '', value = '']) => [name, value]),
  )

it('gives the service in the demo only settings that the service accepts', () => {
  const settings = readSettings(settingsIn(demo))
  expect(settings).toMatchObject({ BROADGAUGE_CLICKHOUSE_ADMIN_USER: 'bg_admin', BROADGAUGE_S3_BUCKET: 'broadgauge' })
})

it('publishes the ports of the demo on the loopback address only, because its passwords are public', () => {
  const published = [...demo.matchAll(/^ +ports: \[(.*)\]$/gm)].flatMap(([, ports = '']) => ports.split(', '))
  expect(published).toHaveLength(4)
  expect(published.filter((port) => !/^'127\.0\.0\.1:\d+:\d+'$/.test(port))).toEqual([])
})

it('shares no containers and no volumes with the other Compose file', () => {
  const nameOf = (text: string) => /^name: (.*)$/m.exec(text)?.[1]
  expect([nameOf(demo), nameOf(compose)]).toEqual(['broadgauge-demo', 'broadgauge'])
  // Compose reads deploy/.env for both files. There, this variable would override both names.
  expect(read('deploy/compose/secrets.sh')).not.toContain('COMPOSE_PROJECT_NAME')
})

it('uses the images of stores and of Node.js that the other files use', () => {
  const imagesOf = (text: string) => [...text.matchAll(/^ +image: (\S+@\S+)$/gm)].map(([, image]) => image)
  const others = imagesOf(compose)
  expect(imagesOf(demo)).toHaveLength(2)
  expect(imagesOf(demo).filter((image) => !others.includes(image))).toEqual([])
  const from = (path: string) => new Set(read(path).match(/^FROM node:\S+/gm))
  expect(from('deploy/compose/demo/objects/Dockerfile')).toEqual(from('deploy/docker/Dockerfile'))
})

it("gives the stores every variable that ClickHouse's configuration and roles.sh read", () => {
  const mounted = [...demo.matchAll(/(\.\/compose\/[\w./-]+):/g)].map(([, path]) => `deploy/${path}`)
  expect(mounted).toHaveLength(4)
  expect(mounted.filter((path) => globSync(path).length === 0)).toEqual([])
  const wanted = mounted
    .map(read)
    .flatMap((text) => [...text.matchAll(/from_env="(\w+)"|\\getenv \w+ (\w+)/g)].map(([, xml, sql]) => xml ?? sql))
  expect(wanted.length).toBeGreaterThan(10)
  expect(wanted.filter((name) => !demo.includes(`      ${name}: `))).toEqual([])
})

it("writes exports to the address that ClickHouse's grant allows", () => {
  const { BROADGAUGE_S3_ENDPOINT: endpoint, BROADGAUGE_S3_BUCKET: bucket } = settingsIn(demo)
  const url = `${endpoint}/${bucket}/`
  expect(demo).toContain(`S3_BUCKET_URL: ${url}\n`)
  expect(demo).toContain(`CLICKHOUSE_EXPORT_GRANT: GRANT READ, WRITE ON S3('\\Q${url}\\E.*')\n`)
})

it('has the same named collections as the cluster', () => {
  const collections = (path: string) => /<named_collections>[\s\S]*<\/named_collections>/.exec(read(path))?.[0]
  expect(collections('deploy/compose/demo/clickhouse.xml')).toBe(collections('deploy/compose/clickhouse/cluster.xml'))
})
