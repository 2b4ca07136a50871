import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addReferenceFaults, checkMetadataChange } from '../../../src/check/metadata/metadata-change.ts'
import { Fault } from '../../../src/base/fault.ts'
import { importPackages } from '../../../src/engine/postgres/operator/import-packages.ts'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { call } from '../../kit/call.ts'
import { asLines, organisation, panel, token } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openWorld, type World } from '../../kit/world.ts'

let world: World
let service: Service
let good: string

beforeAll(async () => {
  world = await openWorld()
  await organisation(world, 'acme')
  await panel(world, 'homes', 'acme', ['whitebox'])
  const row = { isp: 'Acme', package: 'Fibre', download_bits_sec: null, upload_bits_sec: null }
  await world.operate((operator) => importPackages(operator, asLines([{ line: 1, row }]), () => {}))
  good = `Bearer ${await token(world, 'acme', ['metadata:read', 'metadata:write'])}`
  service = await world.serve()
})
afterAll(() => world.close())

const agent = { agent_id: 'homeswhitebox' }
const metadata = { timezone: 'UTC' }

async function put(body: unknown) {
  const answer = await call(`${service.addresses.api}/metadata`, {
    method: 'PUT',
    token: good,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: answer.status, body: answer.body }
}

const events = async (): Promise<number> =>
  (
    await runSql<{ n: number }>(
      world.superuserUrl,
      `SELECT count(*)::int AS n FROM metadata_events WHERE kind = 'change'`,
    )
  )[0]?.n ?? -1

const nowSeconds = () => Math.floor(Date.now() / 1000)
const days = (count: number) => count * 86_400
const notInteger = (value: string) => `Invalid backdate (${value}). Must be a valid integer.`
const notInRange = (value: number) => `Invalid backdate (${value}). Must be in last 28 days.`
const unresolved = (name: string, part: string) =>
  `Unable to resolve new package ${name}. (Invalid ${part} name in new package)`

/**
 * First the 18 rows of the specification's table, each with variants. Then the rules that part 2 of
 * docs/specification.md adds.
 */
const rows: [string, Record<string, unknown>, Record<string, string[]>][] = [
  ['1 agent omitted', { metadata }, { agent: ['Agent cannot be empty.'] }],
  ['1 agent empty', { agent: {}, metadata }, { agent: ['Agent cannot be empty.'] }],
  ['1 agent null', { agent: null, metadata }, { agent: ['Agent cannot be empty.'] }],
  [
    '2 agent_id a number',
    { agent: { agent_id: 7 }, metadata },
    { 'agent[agent_id]': ['This value should be of type string.'] },
  ],
  [
    '2 agent_id null',
    { agent: { agent_id: null }, metadata },
    { 'agent[agent_id]': ['This value should be of type string.'] },
  ],
  [
    '3 unit_id a string',
    { agent: { unit_id: '7' }, metadata },
    { 'agent[unit_id]': ['This value should be of type integer.'] },
  ],
  [
    '3 unit_id a fraction',
    { agent: { unit_id: 7.5 }, metadata },
    { 'agent[unit_id]': ['This value should be of type integer.'] },
  ],
  [
    '4 timezone a number',
    { agent: { timezone: 1 }, metadata },
    { 'agent[timezone]': ['This value should be of type string.'] },
  ],
  [
    '5 selector package without colon',
    { agent: { package: 'Acme' }, metadata },
    { 'agent[package]': ['Acme is not a valid package name.'] },
  ],
  [
    '5 selector package is an ISP',
    { agent: { package: 'Acme:' }, metadata },
    { 'agent[package]': ['Acme: is not a valid package name.'] },
  ],
  [
    '5 selector package without ISP',
    { agent: { package: ':Fibre' }, metadata },
    { 'agent[package]': [':Fibre is not a valid package name.'] },
  ],
  [
    '2 agent_id null beside another field: a null does not widen the change',
    { agent: { agent_id: null, isp: 'Acme' }, metadata },
    { 'agent[agent_id]': ['This value should be of type string.'] },
  ],
  [
    '5 selector package null',
    { agent: { package: null }, metadata },
    { 'agent[package]': ['null is not a valid package name.'] },
  ],
  [
    '6 selector custom null',
    { agent: { custom: null }, metadata },
    { 'agent[custom]': ['Cannot search for null custom metadata.'] },
  ],
  [
    '7 selector custom empty',
    { agent: { custom: {} }, metadata },
    { 'agent[custom]': ['Must specify at least one key when searching by custom fields.'] },
  ],
  ['8 selector custom key', { agent: { custom: { '1': 'x' } }, metadata }, { 'agent[custom][1]': ['Invalid key'] }],
  [
    '8 selector custom key of signs',
    { agent: { custom: { '_-': 'x' } }, metadata },
    { 'agent[custom][_-]': ['Invalid key'] },
  ],
  [
    '9 package without colon',
    { agent, metadata: { package: 'Fibre' } },
    { 'metadata[package]': ['Fibre is not a valid package name.'] },
  ],
  [
    '9 package without ISP',
    { agent, metadata: { package: ':Fibre' } },
    { 'metadata[package]': [':Fibre is not a valid package name.'] },
  ],
  [
    '9 package null',
    { agent, metadata: { package: null } },
    { 'metadata[package]': ['null is not a valid package name.'] },
  ],
  [
    '9 package a list',
    { agent, metadata: { package: ['a'] } },
    { 'metadata[package]': ['["a"] is not a valid package name.'] },
  ],
  [
    '10 unknown ISP',
    { agent, metadata: { package: 'Nope:Fibre' } },
    { 'metadata[package]': [unresolved('Nope:Fibre', 'Isp')] },
  ],
  [
    '10 unknown ISP alone',
    { agent, metadata: { package: 'Nope:' } },
    { 'metadata[package]': [unresolved('Nope:', 'Isp')] },
  ],
  [
    '10 ISP in another case',
    { agent, metadata: { package: 'acme:Fibre' } },
    { 'metadata[package]': [unresolved('acme:Fibre', 'Isp')] },
  ],
  [
    '11 unknown package',
    { agent, metadata: { package: 'Acme:Nope' } },
    { 'metadata[package]': [unresolved('Acme:Nope', 'Package')] },
  ],
  [
    '11 package with a colon',
    { agent, metadata: { package: 'Acme:Fibre:2' } },
    { 'metadata[package]': [unresolved('Acme:Fibre:2', 'Package')] },
  ],
  ...['europe/london', '+05:30', 'Mars/Base', '', 'GMT+25', ' UTC', 'Europe/London\u0000'].map(
    (zone): [string, Record<string, unknown>, Record<string, string[]>] => [
      `12 zone ${JSON.stringify(zone)}`,
      { agent, metadata: { timezone: zone } },
      { 'metadata[timezone]': [`${zone} is not a valid IANA timezone.`] },
    ],
  ),
  [
    '12 zone null',
    { agent, metadata: { timezone: null } },
    { 'metadata[timezone]': ['null is not a valid IANA timezone.'] },
  ],
  [
    '13 custom empty',
    { agent, metadata: { custom: {} } },
    { 'metadata[custom]': ['Must specify at least one key when updating custom fields.'] },
  ],
  ['14 custom null', { agent, metadata: { custom: null } }, { 'metadata[custom]': ['Cannot null custom metadata.'] }],
  ['15 custom key', { agent, metadata: { custom: { '42': 'x' } } }, { 'metadata[custom][42]': ['Invalid key'] }],
  [
    '15 custom key to remove',
    { agent, metadata: { custom: { '42': null } } },
    { 'metadata[custom][42]': ['Invalid key'] },
  ],
  [
    '16 backdate a string',
    { agent, metadata, backdate_from: '1700000000' },
    { backdate_from: [notInteger('1700000000')] },
  ],
  ['16 backdate a fraction', { agent, metadata, backdate_from: 1.5 }, { backdate_from: [notInteger('1.5')] }],
  ['16 backdate a truth', { agent, metadata, backdate_from: true }, { backdate_from: [notInteger('true')] }],
  [
    '17 backdate long ago',
    { agent, metadata, backdate_from: 1_700_000_000 },
    { backdate_from: [notInRange(1_700_000_000)] },
  ],
  ['17 backdate negative', { agent, metadata, backdate_from: -1 }, { backdate_from: [notInRange(-1)] }],
  [
    '18 overwrite_all a number',
    { agent, metadata, overwrite_all: 1 },
    { overwrite_all: ['This value should be of type bool.'] },
  ],
  [
    '18 overwrite_all a string',
    { agent, metadata, overwrite_all: 'true' },
    { overwrite_all: ['This value should be of type bool.'] },
  ],
  ['agent a string', { agent: 'x', metadata }, { agent: ['This value should be of type object.'] }],
  [
    'mac_address a number',
    { agent: { mac_address: 1 }, metadata },
    { 'agent[mac_address]': ['This value should be of type string.'] },
  ],
  ['isp a number', { agent: { isp: 1 }, metadata }, { 'agent[isp]': ['This value should be of type string.'] }],
  ['a misspelt selector', { agent: { unitid: 1 }, metadata }, { 'agent[unitid]': ['This field was not expected.'] }],
  [
    'an unknown field',
    { agent, metadata: { isp: 'Acme' }, x: 1 },
    { x: ['This field was not expected.'], 'metadata[isp]': ['This field was not expected.'] },
  ],
  ['metadata missing', { agent }, { metadata: ['This field is missing.'] }],
  ['metadata empty', { agent, metadata: {} }, { metadata: ['Metadata cannot be empty.'] }],
  ['metadata a list', { agent, metadata: [] }, { metadata: ['This value should be of type object.'] }],
  [
    'custom a list',
    { agent, metadata: { custom: ['a'] } },
    { 'metadata[custom]': ['This value should be of type object.'] },
  ],
  [
    'custom value a truth',
    { agent, metadata: { custom: { a: true } } },
    { 'metadata[custom][a]': ['This value should be of type string.'] },
  ],
  [
    'custom value a list',
    { agent, metadata: { custom: { a: [] } } },
    { 'metadata[custom][a]': ['This value should be of type string.'] },
  ],
  [
    'custom value with a control character',
    { agent, metadata: { custom: { a: 'x\u0000' } } },
    { 'metadata[custom][a]': ['Invalid value'] },
  ],
  [
    'custom value too long',
    { agent, metadata: { custom: { a: '𝕏'.repeat(1_001) } } },
    { 'metadata[custom][a]': ['Invalid value'] },
  ],
  [
    'custom key with a lone surrogate',
    { agent, metadata: { custom: { 'a\uD800': 'x' } } },
    { 'metadata[custom][a\uD800]': ['Invalid key'] },
  ],
  [
    'custom key too long',
    { agent, metadata: { custom: { ['k'.repeat(256)]: 'x' } } },
    { [`metadata[custom][${'k'.repeat(256)}]`]: ['Invalid key'] },
  ],
  [
    'custom value searched for null',
    { agent: { custom: { a: null } }, metadata },
    { 'agent[custom][a]': ['This value should be of type string.'] },
  ],
  [
    'agent_id with a control character',
    { agent: { agent_id: 'a\u0000' }, metadata },
    { 'agent[agent_id]': ['Invalid value'] },
  ],
  [
    'an identifier of more punctuation than is kept with the change for ever',
    { agent: { agent_id: `homeswhitebox${'-'.repeat(243)}`, mac_address: `00${':'.repeat(254)}` }, metadata },
    { 'agent[agent_id]': ['Invalid value'], 'agent[mac_address]': ['Invalid value'] },
  ],
]

describe('a refused request', () => {
  it.each(rows)('%s', async (_row, body, errors) => {
    const before = await events()
    const { status, body: answer } = await put(body)
    const { details: _, ...required } = answer
    expect({ status, body: required }).toEqual({
      status: 422,
      body: { code: 'VALIDATION_FAIL', message: 'Validation failed', errors },
    })
    expect(await events()).toBe(before)
  })

  it('lists the zones whose names are nearest to an unknown name', async () => {
    const { body } = await put({ agent, metadata: { timezone: 'europe/london' } })
    const { choices, choicesTotal } = (body['details'] as Record<string, { choices: string[]; choicesTotal: number }>)[
      'metadata[timezone]'
    ] ?? { choices: [], choicesTotal: 0 }
    expect(choices[0]).toBe('Europe/London')
    expect(choices).toHaveLength(50)
    expect(choicesTotal).toBeGreaterThan(400)
  })

  it('lists all faults in one response, those of types and those of references', async () => {
    const body = {
      agent: { unit_id: 'x', custom: { '1': 'y' } },
      metadata: { package: 'Acme:Nope', timezone: 'Nowhere', custom: {} },
      backdate_from: 'soon',
      overwrite_all: 'yes',
      extra: 1,
    }
    const answer = await put(body)
    expect(Object.keys(answer.body['errors'] as object).toSorted()).toEqual(
      [
        'agent[custom][1]',
        'agent[unit_id]',
        'backdate_from',
        'extra',
        'metadata[custom]',
        'metadata[package]',
        'metadata[timezone]',
        'overwrite_all',
      ].toSorted(),
    )
  })

  it.each([
    ['a list', []],
    ['a text', 'x'],
    ['nothing', null],
    ['a number', 1],
  ])('is %s instead of an object', async (_what, body) => {
    expect(await put(body)).toMatchObject({
      status: 422,
      body: { errors: { body: ['This value should be of type object.'] } },
    })
  })
})

it('treats null for an optional field as absent', () => {
  const now = Temporal.Instant.from('2026-03-29T12:34:56.789Z')
  const nulls = { backdate_from: null, overwrite_all: null, dry_run: null }
  const { change, faults } = checkMetadataChange({ agent, metadata, ...nulls }, now)
  expect(() => faults.throwIfAny()).not.toThrow()
  expect(change).toEqual(checkMetadataChange({ agent, metadata }, now).change)
})

describe('the limit of 28 days', () => {
  const now = Temporal.Instant.from('2026-03-29T12:34:56.789Z')
  const seconds = Math.floor(now.epochMilliseconds / 1000)
  const faultsOf = (backdate: number): string[] => {
    const { faults, change } = checkMetadataChange({ agent, metadata, backdate_from: backdate }, now)
    addReferenceFaults(change, { ispId: null, packageId: null, zoneId: 1 }, faults)
    try {
      faults.throwIfAny()
      return []
    } catch (error) {
      return error instanceof Fault ? (error.errors?.['backdate_from'] ?? []) : ['?']
    }
  }

  it.each([
    ['now', 0, true],
    ['a second ago', -1, true],
    ['27 days ago', -days(27), true],
    ['28 days ago, a second less', -days(28) + 1, true],
    ['28 days ago', -days(28), true],
    ['28 days ago, a second more', -days(28) - 1, false],
    ['29 days ago', -days(29), false],
    ['a second ahead', 1, false],
    ['tomorrow', days(1), false],
  ])('%s', (_when, offset, accepted) => {
    expect(faultsOf(seconds + offset)).toEqual(accepted ? [] : [notInRange(seconds + offset)])
  })

  it('applies over HTTP, by the service’s own clock', async () => {
    expect((await put({ agent, metadata, backdate_from: nowSeconds() - days(28) + 60 })).status).toBe(200)
    expect((await put({ agent, metadata, backdate_from: nowSeconds() - days(28) - 60 })).status).toBe(422)
    expect((await put({ agent, metadata, backdate_from: nowSeconds() + 60 })).status).toBe(422)
  })

  it('dates a change by the UTC day of its moment', () => {
    const dayOf = (text: string) => {
      const backdate = Math.floor(Temporal.Instant.from(text).epochMilliseconds / 1000)
      return checkMetadataChange({ agent, metadata, backdate_from: backdate }, now).change.day.toString()
    }
    expect(dayOf('2026-03-28T23:59:59Z')).toBe('2026-03-28')
    expect(dayOf('2026-03-29T00:00:00Z')).toBe('2026-03-29')
    expect(checkMetadataChange({ agent, metadata }, now).change.day.toString()).toBe('2026-03-29')
  })
})

it.each([
  'UTC',
  'Asia/Kolkata',
  'Europe/Kyiv',
  'US/Eastern',
  'Europe/London',
  'America/Argentina/Buenos_Aires',
  'Etc/GMT+5',
])('accepts the zone %s', async (zone) => {
  expect((await put({ agent, metadata: { timezone: zone } })).status).toBe(200)
})

it('a value that is nested too deeply to be shown is refused like invalid JSON', async () => {
  // The serialiser uses recursion for an object with a numeric key, and for everything around it.
  const deep = `${'['.repeat(20_000)}{"0":0}${']'.repeat(20_000)}`
  for (const [body, key] of [
    [`{"agent":{"unit_id":1},"metadata":{"timezone":${deep}}}`, null],
    [`{"agent":{"unit_id":1},"metadata":{"timezone":"UTC"},"backdate_from":${deep}}`, null],
    [deep, 'a-key'],
  ] as const) {
    const headers = { 'content-type': 'application/json', ...(key === null ? {} : { 'idempotency-key': key }) }
    const answer = await call(`${service.addresses.api}/metadata`, { method: 'PUT', token: good, headers, body })
    expect([answer.status, answer.body['errors']]).toEqual([422, { body: ['This value should be valid JSON.'] }])
  }
})
