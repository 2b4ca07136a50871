import { expect, it } from 'vitest'
import { baseUrl, readSettings } from '../../src/serve/config.ts'

const users = ['QUERY', 'STREAM', 'DICTIONARY', 'INGEST', 'EXPORT'].flatMap((name) => [
  [`BROADGAUGE_CLICKHOUSE_${name}_USER`, name.toLowerCase()],
  [`BROADGAUGE_CLICKHOUSE_${name}_PASSWORD`, 'password'],
])

/** The settings that have no default. */
const complete = (): Record<string, string> => ({
  BROADGAUGE_POSTGRES_URL: 'postgres://service:password@127.0.0.1:5432/broadgauge',
  BROADGAUGE_CLICKHOUSE_URL: 'http://127.0.0.1:8123',
  BROADGAUGE_S3_ENDPOINT: 'http://127.0.0.1:9000',
  BROADGAUGE_S3_BUCKET: 'exports',
  BROADGAUGE_S3_ACCESS_KEY_ID: 'key',
  BROADGAUGE_S3_SECRET_ACCESS_KEY: 'password',
  ...(Object.fromEntries(users) as Record<string, string>),
})

it('reads a complete environment and fills in defaults', () => {
  expect(readSettings(complete())).toMatchObject({
    BROADGAUGE_PORT: 8080,
    BROADGAUGE_DRAIN_SECONDS: 35,
    BROADGAUGE_BODY_BYTES_MAX: 256 * 1024,
    BROADGAUGE_CORS_ORIGINS: [],
  })
})

it('reports every fault at once, by name, without showing a value', () => {
  const broken = {
    ...complete(),
    BROADGAUGE_PORT: 'eighty-secret',
    BROADGAUGE_POSTGRES_URL: 'mysql://user:secret@host/db',
    BROADGAUGE_PROT: '8080',
    BROADGAUGE_S3_BUCKET: undefined,
    BROADGAUGE_LOG_LEVEL: 'loud-secret',
    BROADGAUGE_OPS_PORT: '',
  }
  const read = () => readSettings(broken)
  expect(read).toThrow('6 fault(s)')
  for (const name of [
    'BROADGAUGE_PORT',
    'BROADGAUGE_POSTGRES_URL',
    'BROADGAUGE_S3_BUCKET: is missing',
    'BROADGAUGE_LOG_LEVEL',
  ]) {
    expect(read).toThrow(name)
  }
  expect(read).toThrow('BROADGAUGE_PROT: no such setting')
  expect(read).not.toThrow('secret')
})

it.each(['TEST', 'DEVSTACK', 'DEMO', 'CALLER', 'FAULTS'])('ignores settings of BROADGAUGE_%s_', (tool) => {
  expect(readSettings({ ...complete(), [`BROADGAUGE_${tool}_COUNT`]: 'x' })).toEqual(readSettings(complete()))
})

it('requires both TLS files or neither, and a cluster name for several nodes', () => {
  const several = `${complete()['BROADGAUGE_CLICKHOUSE_URL']},http://127.0.0.1:1`
  const broken = { ...complete(), BROADGAUGE_TLS_CERT_FILE: 'x', BROADGAUGE_CLICKHOUSE_URL: several }
  expect(() => readSettings(broken)).toThrow('set both or neither')
  expect(() =>
    readSettings({ ...broken, BROADGAUGE_CLICKHOUSE_CLUSTER: 'c', BROADGAUGE_TLS_KEY_FILE: 'y' }),
  ).not.toThrow()
})

it.each([
  ['BROADGAUGE_CORS_ORIGINS', '*'],
  ['BROADGAUGE_CORS_ORIGINS', 'https://app.example/path'],
  ['BROADGAUGE_DATA_BASE_URL', '/a//b'],
  ['BROADGAUGE_DATA_BASE_URL', '/:org'],
  ['BROADGAUGE_METADATA_BASE_URL', 'https://host/*'],
  ['BROADGAUGE_CLICKHOUSE_URL', 'http://user:pw@127.0.0.1:1'],
  ['BROADGAUGE_CLICKHOUSE_URL', 'http://127.0.0.1:1,http://127.0.0.1:1/'],
])('refuses %s = %s, which could not work', (name, value) => {
  expect(() => readSettings({ ...complete(), BROADGAUGE_CLICKHOUSE_CLUSTER: 'c', [name]: value })).toThrow(name)
})

it.each([
  ['/', { host: null, prefix: '/' }],
  ['/data/', { host: null, prefix: '/data' }],
  ['https://a.example', { host: 'a.example', prefix: '/' }],
  ['https://a.example:8443/x/', { host: 'a.example:8443', prefix: '/x' }],
])('reads the base URL %s', (text, expected) => {
  expect(baseUrl(text)).toEqual(expected)
})
