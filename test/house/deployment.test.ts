import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readSettings } from '../../src/serve/config.ts'

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

it('names no file that is not there', () => {
  const mounted = [...compose.matchAll(/(\.\/compose\/[\w./-]+):/g)].map(([, path]) => `deploy/${path}`)
  expect(mounted.length).toBeGreaterThan(3)
  expect(mounted.filter((path) => globSync(path).length === 0)).toEqual([])
})
