import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openWorld, type World } from '../kit/world.ts'
import type { ClickHouseRole } from '../../src/serve/config.ts'

let world: World

beforeAll(async () => {
  world = await openWorld({ clickhouse: true })
  // Create a database that the users of the service must not read.
  for (const query of [
    `CREATE DATABASE elsewhere_${world.name}`,
    `CREATE TABLE elsewhere_${world.name}.secret ENGINE = MergeTree ORDER BY x AS SELECT 1 AS x`,
  ]) {
    expect(await ask('ADMIN', query)).toBe('')
  }
})
afterAll(async () => {
  await ask('ADMIN', `DROP DATABASE elsewhere_${world.name}`)
  await world.close()
})

/**
 * Runs a query over HTTP as the user of `role`. Returns the text of the response, or `refused` and ClickHouse's error
 * code.
 */
async function ask(role: ClickHouseRole, query: string, settings: Record<string, string> = {}): Promise<string> {
  const [address = ''] = (world.environment['BROADGAUGE_CLICKHOUSE_URL'] ?? '').split(',')
  const response = await fetch(`${address}/?${new URLSearchParams(settings).toString()}`, {
    method: 'POST',
    headers: {
      'x-clickhouse-user': world.environment[`BROADGAUGE_CLICKHOUSE_${role}_USER`] ?? '',
      'x-clickhouse-key': world.environment[`BROADGAUGE_CLICKHOUSE_${role}_PASSWORD`] ?? '',
    },
    body: query,
  })
  const code = response.headers.get('x-clickhouse-exception-code')
  const text = await response.text()
  return code === null ? text.trim() : `refused ${code}`
}

const accessDenied = 'refused 497'
const readOnly = 'refused 164'

describe('the dictionary user', () => {
  it('sees which dictionaries exist and their state, and nothing of their content', async () => {
    const query = `SELECT count() FROM system.dictionaries WHERE database = '${world.name}' AND status != 'FAILED'`
    expect(await ask('DICTIONARY', query)).toBe('12')
    for (const refused of [
      'SELECT source FROM system.dictionaries',
      'SELECT last_exception FROM system.dictionaries',
      `SELECT * FROM ${world.name}.agents`,
      `SELECT dictHas('${world.name}.agents', toUInt64(1))`,
      `SELECT * FROM ${world.name}.httpget`,
      'SELECT * FROM system.processes',
    ])
      expect(await ask('DICTIONARY', refused), refused).toBe(accessDenied)
  })
})

describe('the stream user', () => {
  it('has an hour, and the limits of the query user otherwise', async () => {
    expect(await ask('STREAM', `SELECT getSetting('max_execution_time')`)).toBe('3600')
    expect(await ask('STREAM', `SELECT count() FROM ${world.name}.httpget`)).toBe('0')
    expect(await ask('STREAM', 'SELECT 1', { log_comment: 'x' })).toBe('1')
    for (const query of [
      `INSERT INTO ${world.name}.httpget (panel) VALUES (1)`,
      'KILL QUERY WHERE 1',
      'SELECT * FROM system.processes',
      'SELECT 1 SETTINGS max_execution_time = 0',
      `SELECT * FROM url('http://127.0.0.1:1/', CSV, 'x String')`,
    ]) {
      expect(await ask('STREAM', query), query).toMatch(/^refused (497|164)$/)
    }
  })

  it('writes rows as one array of JSON, with any bytes in them', async () => {
    const rows = await ask(
      'STREAM',
      `SELECT number, 'a/b' AS text, unhex('FF22') AS bytes FROM numbers(2) FORMAT JSONEachRow`,
    )
    expect(JSON.parse(rows)).toEqual([0, 1].map((number) => ({ number, text: 'a/b', bytes: '\uFFFD"' })))
    expect(rows).toContain('a/b')
    expect(JSON.parse(await ask('STREAM', 'SELECT 1 WHERE 0 FORMAT JSONEachRow'))).toEqual([])
  })
})

describe('the query user', () => {
  it("reads the service's tables", async () => {
    expect(await ask('QUERY', `SELECT count() FROM ${world.name}.httpget`)).toBe('0')
  })

  it.each([
    ['url()', `SELECT * FROM url('http://127.0.0.1:1/', CSV, 'x String')`],
    ['file()', `SELECT * FROM file('/etc/passwd', LineAsString, 'x String')`],
    ['remote()', `SELECT * FROM remote('127.0.0.1', system.one)`],
    ['s3()', `SELECT * FROM s3('http://127.0.0.1:1/bucket/key.csv', 'id', 'secret', 'CSV', 'x String')`],
    ['s3() by the named collection', `SELECT * FROM s3(broadgauge_exports, filename = 'x', format = 'CSV')`],
    ['postgresql()', `SELECT * FROM postgresql(broadgauge_postgres, table = 'tokens')`],
    ['executable()', `SELECT * FROM executable('x', CSV, 'x String', (SELECT 1))`],
    ['users', 'SELECT * FROM system.users'],
    ['queries of others', 'SELECT * FROM system.processes'],
    ['named collections', 'SELECT collection FROM system.named_collections'],
    ['the schema of others', 'SELECT * FROM information_schema.tables'],
  ])('is refused %s', async (_what, query) => {
    expect(await ask('QUERY', query)).toMatch(/^refused (497|164)$/)
  })

  it('is refused other databases', async () => {
    const query = `SELECT * FROM elsewhere_${world.name}.secret`
    expect(await ask('ADMIN', query)).toBe('1')
    for (const role of ['QUERY', 'STREAM', 'INGEST', 'EXPORT'] as const)
      expect(await ask(role, query), role).toBe(accessDenied)
  })

  it.each([
    ['INSERT', () => `INSERT INTO ${world.name}.httpget (panel) VALUES (1)`],
    ['CREATE', () => `CREATE TABLE ${world.name}.x (y UInt8) ENGINE = Memory`],
    ['DROP', () => `DROP TABLE ${world.name}.httpget`],
    ['ALTER', () => `ALTER TABLE ${world.name}.httpget DELETE WHERE 1`],
    ['TRUNCATE', () => `TRUNCATE TABLE ${world.name}.httpget`],
    ['GRANT', () => `GRANT SELECT ON *.* TO bg_query`],
    ['SYSTEM', () => `SYSTEM RELOAD DICTIONARY ${world.name}.agents`],
    ['KILL', () => `KILL QUERY WHERE 1`],
    ['BACKUP', () => `BACKUP DATABASE ${world.name} TO File('x')`],
  ])('is refused the write %s', async (_what, query) => {
    expect(await ask('QUERY', query())).toMatch(/^refused (497|164)$/)
  })

  it('may set log_comment and a lower priority, and no other setting', async () => {
    expect(await ask('QUERY', 'SELECT 1', { os_thread_priority: '19' })).toBe('1')
    expect(await ask('QUERY', 'SELECT 1', { os_thread_priority: '-1' })).toBe('refused 452')
    expect(await ask('QUERY', `SELECT getSetting('log_comment')`, { log_comment: '{"request":"1"}' })).toBe(
      '{"request":"1"}',
    )
    for (const [name, value] of Object.entries({
      readonly: '0',
      max_execution_time: '3600',
      max_memory_usage: '0',
      max_threads: '64',
      allow_introspection_functions: '1',
      output_format_json_quote_64bit_integers: '1',
    })) {
      expect(await ask('QUERY', 'SELECT 1', { [name]: value }), name).toBe(readOnly)
      expect(await ask('QUERY', `SELECT 1 SETTINGS ${name} = ${value}`), name).toBe(readOnly)
      expect(await ask('QUERY', `SET ${name} = ${value}`), name).toBe(readOnly)
    }
  })
})

describe('the ingest user', () => {
  it('inserts, and changes nothing else', async () => {
    const row = `INSERT INTO ${world.name}.dns (panel, agent, dtime, nameserver, lookup_host, successes, failures) VALUES`
    expect(await ask('INGEST', `${row} (1, 1, '2026-01-01 00:00:00', 'a', 'b', 1, 0)`)).toBe('')
    for (const query of [
      `DROP TABLE ${world.name}.dns`,
      `ALTER TABLE ${world.name}.dns DELETE WHERE 1`,
      `TRUNCATE TABLE ${world.name}.dns`,
      `CREATE TABLE ${world.name}.x (y UInt8) ENGINE = Memory`,
      `SELECT * FROM url('http://127.0.0.1:1/', CSV, 'x String')`,
      'SELECT * FROM system.users',
    ]) {
      expect(await ask('INGEST', query), query).toBe(accessDenied)
    }
  })
})

describe('the export user', () => {
  it('writes to the bucket of exports only, and to no table', async () => {
    for (const query of [
      `INSERT INTO FUNCTION s3('http://127.0.0.1:1/other/x.csv', CSV, 'x String') SELECT 'x'`,
      `INSERT INTO ${world.name}.dns (panel) VALUES (1)`,
      `SELECT * FROM url('http://127.0.0.1:1/', CSV, 'x String')`,
      `SELECT * FROM postgresql(broadgauge_postgres, table = 'tokens')`,
      `DROP TABLE ${world.name}.dns`,
      'SELECT query FROM system.processes',
      `SELECT * FROM s3(broadgauge_exports, url = 'http://127.0.0.1:1/other/', filename = 'x', format = 'CSV', structure = 'x String')`,
    ]) {
      expect(await ask('EXPORT', query), query).toMatch(/^refused (497|36)$/)
    }
    expect(await ask('EXPORT', 'SELECT count() > 0 FROM (SELECT query_id FROM system.processes)')).toBe('1')
  })
})

it('has no user without a password, and accepts no wrong one', async () => {
  const [address = ''] = (world.environment['BROADGAUGE_CLICKHOUSE_URL'] ?? '').split(',')
  for (const user of ['', 'default', 'bg_query', 'bg_admin']) {
    const headers: Record<string, string> = user === '' ? {} : { 'x-clickhouse-user': user, 'x-clickhouse-key': '' }
    const response = await fetch(address, {
      method: 'POST',
      headers,
      body: `SELECT count() FROM ${world.name}.httpget`,
    })
    expect(response.ok, user).toBe(false)
  }
})
