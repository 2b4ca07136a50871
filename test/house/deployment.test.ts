import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { configSchema } from '../../src/serve/config-schema.ts'
import { readSettings } from '../../src/serve/config.ts'

type Schema = { propertyNames?: { pattern: string } }

const read = (path: string): string => readFileSync(path, 'utf8')
const compose = read('deploy/compose.yaml')
const model = read('devstack/clickhouse/users.xml')
const users = read('deploy/compose/clickhouse/users.xml')

/** `NAME: value` of a block of the Compose file, with something for each secret. */
const settingsIn = (block: string): Record<string, string> =>
  Object.fromEntries(
    [...block.matchAll(/^ +(BROADGAUGE_\w+): '?([^'\n]+)'?$/gm)].map(([, name = '', value = '']) => [
      name,
      value.replaceAll(/\$\{\w+\}/g, 'secret'),
    ]),
  )

it('gives the service in the Compose file settings that it takes', () => {
  const [, block = ''] = /^x-settings:([\s\S]*?)^\S/m.exec(compose) ?? []
  const settings = readSettings(settingsIn(block))
  expect(settings).toMatchObject({ BROADGAUGE_CLICKHOUSE_CLUSTER: 'broadgauge', BROADGAUGE_S3_BUCKET: 'broadgauge' })
  const [, migrate = ''] = /^ {2}migrate:([\s\S]*?)^ {2}\w/m.exec(compose) ?? []
  expect(readSettings({ ...settingsIn(block), ...settingsIn(migrate) }).BROADGAUGE_CLICKHOUSE_ADMIN_USER).toBe(
    'bg_admin',
  )
})

it('makes every secret that the Compose file names, and no other', () => {
  const made = read('deploy/compose/secrets.sh').match(/\b(POSTGRES|CLICKHOUSE|S3)_[A-Z_]+(?=[ =;\\\n])/g) ?? []
  const named = [...compose.matchAll(/\$\{(\w+)/g)].map(([, name]) => name)
  expect(new Set(made)).toEqual(new Set(named))
})

/** Settings of a profile or grants of a user, by name, wherever they stand. */
const profile = (text: string, name: string): string[] =>
  [...(new RegExp(`<${name}>([\\s\\S]*?)</${name}>`).exec(text)?.[1] ?? '').matchAll(/<(\w+)>([^<]*)<\/\1>/g)]
    .map(([, setting, value]) => `${setting} ${value}`)
    .toSorted()
const grants = (text: string, user: string): string[] =>
  [...(new RegExp(`<bg_${user}>([\\s\\S]*?)</bg_${user}>`).exec(text)?.[1] ?? '').matchAll(/<query>(.*)<\/query>/g)]
    .map(([, grant = '']) => grant.replace('broadgauge*.*', 'broadgauge.*'))
    .filter((grant) => !/elsewhere|READ, WRITE ON S3/.test(grant))
    .toSorted()

const ofReplicas = /^(load_balancing in_order|prefer_localhost_replica 0|insert_quorum 2)$/

it.each(['admin', 'query', 'stream', 'ingest', 'export'])('gives %s the profile the tests run with', (name) => {
  expect(profile(model, name)).not.toEqual([])
  expect(profile(users, name).filter((setting) => !ofReplicas.test(setting))).toEqual(profile(model, name))
})

const readsAlike = ['load_balancing in_order', 'prefer_localhost_replica 0']
const writesToBoth = ['insert_quorum 2', ...readsAlike]

// Of stream by way of query. Admin writes too: sums, and reads them at once to make coarser ones; and what is restored.
it.each([
  ['admin', writesToBoth],
  ['ingest', writesToBoth],
  ['query', readsAlike],
  ['export', readsAlike],
])('has %s see what was written, whichever replica is asked', (name, settings) => {
  expect(profile(users, name).filter((setting) => ofReplicas.test(setting))).toEqual(settings)
  expect(profile(users, 'stream')).toContain('profile query')
})

it.each(['admin', 'query', 'stream', 'dictionary', 'ingest', 'export'])(
  'gives bg_%s the rights of the tests',
  (user) => {
    expect(grants(model, user)).not.toEqual([])
    expect(grants(users, user)).toEqual(grants(model, user))
  },
)

it('has the row policies the tests run with', () => {
  expect(read('deploy/compose/clickhouse/row-policies.xml')).toBe(read('devstack/clickhouse/users.d/row-policies.xml'))
})

it('gives the chart the version of the package, and settings that exist', () => {
  const { version }: { version: string } = JSON.parse(read('package.json'))
  const chart = read('deploy/helm/broadgauge/Chart.yaml')
  expect([...chart.matchAll(/^(?:version|appVersion): (.*)$/gm)].map(([, one]) => one)).toEqual([version, version])
  const files = ['values.yaml', 'templates/configmap.yaml', 'templates/serve.yaml'].map((file) =>
    read(`deploy/helm/broadgauge/${file}`),
  )
  const named = files.flatMap((text) => text.match(/\bBROADGAUGE_[A-Z0-9_]+/g) ?? [])
  expect(named.filter((name) => !(name in configSchema.shape))).toEqual([])
  // By hand, because a Service of that name would otherwise fill the environment with names the settings refuse.
  expect(read('deploy/helm/broadgauge/templates/_helpers.tpl')).toContain('enableServiceLinks: false')
})

it('takes as values of the chart what the chart has, and no secret among the settings', () => {
  const schema = JSON.parse(read('deploy/helm/broadgauge/values.schema.json')) as { properties: Record<string, Schema> }
  const top = [...read('deploy/helm/broadgauge/values.yaml').matchAll(/^(\w+):/gm)].map(([, name = '']) => name)
  expect(
    Object.keys(schema.properties)
      .filter((name) => name !== 'global')
      .toSorted(),
  ).toEqual(top.toSorted())
  const allowed = new RegExp(schema.properties['settings']?.propertyNames?.pattern ?? '')
  const secrets = Object.keys(configSchema.shape).filter((name) => !allowed.test(name))
  expect(secrets.toSorted()).toEqual(
    Object.keys(configSchema.shape)
      .filter((name) => /PASSWORD|SECRET|ACCESS_KEY|POSTGRES(_ADMIN)?_URL/.test(name))
      .toSorted(),
  )
})

it('names no file that is not there', () => {
  const mounted = [...compose.matchAll(/(\.\/compose\/[\w./-]+):/g)].map(([, path]) => `deploy/${path}`)
  expect(mounted.length).toBeGreaterThan(3)
  expect(mounted.filter((path) => globSync(path).length === 0)).toEqual([])
})
