import { describe, expect, it } from 'vitest'
import type { FieldErrors } from '../../../src/base/fault.ts'
import {
  addReferenceFaults,
  checkBackdate,
  checkMetadataChange,
  isDryRun,
  type ResolvedNames,
} from '../../../src/check/metadata/metadata-change.ts'
import { parsePackage } from '../../../src/check/metadata/package-name.ts'
import { errorsOf, faultsOf, missing, type, unexpected } from '../faults.ts'

const now = Temporal.Instant.from('2026-03-29T12:34:56.789Z')
const nowSeconds = Math.floor(now.epochMilliseconds / 1000)
const day = 86_400
const agent = { agent_id: 'A-1' }
const metadata = { timezone: 'UTC' }
const everything: ResolvedNames = { ispId: 1, packageId: 2, zoneId: 3 }

const changeOf = (body: unknown) => checkMetadataChange(body, now).change
const refused = (body: unknown, found = everything): FieldErrors | null =>
  errorsOf(() => {
    const { change, faults } = checkMetadataChange(body, now)
    addReferenceFaults(change, found, faults)
    faults.throwIfAny()
  })

it('reads a complete request', () => {
  const body = {
    agent: {
      agent_id: 'A-1',
      unit_id: 7,
      mac_address: '00:11',
      isp: 'Acme',
      package: 'Acme:Fibre: 1G',
      timezone: 'Europe/London',
      custom: { region: 'north', floor: 3 },
    },
    metadata: { package: 'Borough:Cable', timezone: 'Asia/Tokyo', custom: { region: 'south', floor: 4, old: null } },
    backdate_from: nowSeconds - day,
    overwrite_all: true,
    dry_run: true,
  }
  expect(refused(body)).toBeNull()
  expect(changeOf(body)).toEqual({
    selector: {
      agentId: 'A-1',
      unitId: 7,
      macAddress: '00:11',
      isp: 'Acme',
      package: { isp: 'Acme', package: 'Fibre: 1G' },
      zone: 'Europe/London',
      custom: { region: 'north', floor: 3 },
    },
    package: { isp: 'Borough', package: 'Cable' },
    zone: 'Asia/Tokyo',
    custom: { region: 'south', floor: 4 },
    droppedKeys: ['old'],
    day: Temporal.PlainDate.from('2026-03-28'),
    replaceAll: true,
    dryRun: true,
  })
})

it('changes only the named fields, from today on', () => {
  expect(changeOf({ agent, metadata })).toEqual({
    selector: {
      agentId: 'A-1',
      unitId: undefined,
      macAddress: undefined,
      isp: undefined,
      package: undefined,
      zone: undefined,
      custom: undefined,
    },
    package: undefined,
    zone: 'UTC',
    custom: {},
    droppedKeys: [],
    day: Temporal.PlainDate.from('2026-03-29'),
    replaceAll: false,
    dryRun: false,
  })
})

describe('the table of the specification', () => {
  const empty = ['Agent cannot be empty.']
  const noName = (value: string) => [`${value} is not a valid package name.`]
  const noZone = (value: string) => [`${value} is not a valid IANA timezone.`]
  const unresolved = (name: string, part: string) => [
    `Unable to resolve new package ${name}. (Invalid ${part} name in new package)`,
  ]
  const notInteger = (value: string) => [`Invalid backdate (${value}). Must be a valid integer.`]
  const tooOld = (value: number) => [`Invalid backdate (${value}). Must be in last 28 days.`]

  it.each<[string, Record<string, unknown>, FieldErrors]>([
    ['no agent', { metadata }, { agent: empty }],
    ['an empty agent', { agent: {}, metadata }, { agent: empty }],
    ['an empty list for an agent', { agent: [], metadata }, { agent: empty }],
    ['a number for agent_id', { agent: { agent_id: 7 }, metadata }, { 'agent[agent_id]': type('string') }],
    ['a text for unit_id', { agent: { unit_id: '7' }, metadata }, { 'agent[unit_id]': type('integer') }],
    ['a fraction for unit_id', { agent: { unit_id: 7.5 }, metadata }, { 'agent[unit_id]': type('integer') }],
    ['a number for timezone', { agent: { timezone: 1 }, metadata }, { 'agent[timezone]': type('string') }],
    ['a number for isp', { agent: { isp: 1 }, metadata }, { 'agent[isp]': type('string') }],
    ['a number for mac_address', { agent: { mac_address: 1 }, metadata }, { 'agent[mac_address]': type('string') }],
    ['a package without colon', { agent: { package: 'Acme' }, metadata }, { 'agent[package]': noName('Acme') }],
    ['an ISP for a package', { agent: { package: 'Acme:' }, metadata }, { 'agent[package]': noName('Acme:') }],
    ['a package without ISP', { agent: { package: ':Fibre' }, metadata }, { 'agent[package]': noName(':Fibre') }],
    ['a number for a package', { agent: { package: 5 }, metadata }, { 'agent[package]': noName('5') }],
    [
      'custom null to search by',
      { agent: { custom: null }, metadata },
      { 'agent[custom]': ['Cannot search for null custom metadata.'] },
    ],
    [
      'nothing to search by',
      { agent: { custom: {} }, metadata },
      { 'agent[custom]': ['Must specify at least one key when searching by custom fields.'] },
    ],
    ['a key without a letter', { agent: { custom: { '1': 'x' } }, metadata }, { 'agent[custom][1]': ['Invalid key'] }],
    ['a new package without colon', { agent, metadata: { package: 'Acme' } }, { 'metadata[package]': noName('Acme') }],
    ['a list for a new package', { agent, metadata: { package: [1] } }, { 'metadata[package]': noName('[1]') }],
    ['a zone that is no name', { agent, metadata: { timezone: '+05:30' } }, { 'metadata[timezone]': noZone('+05:30') }],
    ['a number for a zone', { agent, metadata: { timezone: 5 } }, { 'metadata[timezone]': noZone('5') }],
    [
      'no key to update',
      { agent, metadata: { custom: {} } },
      { 'metadata[custom]': ['Must specify at least one key when updating custom fields.'] },
    ],
    [
      'custom null to update',
      { agent, metadata: { custom: null } },
      { 'metadata[custom]': ['Cannot null custom metadata.'] },
    ],
    [
      'a new key without a letter',
      { agent, metadata: { custom: { '-1': 'x' } } },
      { 'metadata[custom][-1]': ['Invalid key'] },
    ],
    ['a text for a backdate', { agent, metadata, backdate_from: '1' }, { backdate_from: notInteger('1') }],
    ['a fraction for a backdate', { agent, metadata, backdate_from: 1.5 }, { backdate_from: notInteger('1.5') }],
    [
      'a backdate of 28 days and a second',
      { agent, metadata, backdate_from: nowSeconds - 28 * day - 1 },
      { backdate_from: tooOld(nowSeconds - 28 * day - 1) },
    ],
    ['a text for overwrite_all', { agent, metadata, overwrite_all: 'yes' }, { overwrite_all: type('bool') }],
    ['a number for dry_run', { agent, metadata, dry_run: 1 }, { dry_run: type('bool') }],
  ])('refuses %s', (_what, body, errors) => {
    expect(refused(body)).toEqual(errors)
  })

  it.each<[string, Partial<ResolvedNames>, Record<string, unknown>, FieldErrors | null]>([
    [
      'an ISP that does not exist',
      { ispId: null },
      { package: 'Acme:Fibre' },
      { 'metadata[package]': unresolved('Acme:Fibre', 'Isp') },
    ],
    [
      'a package that does not exist',
      { packageId: null },
      { package: 'Acme:Fibre' },
      { 'metadata[package]': unresolved('Acme:Fibre', 'Package') },
    ],
    [
      'an ISP alone that does not exist',
      { ispId: null, packageId: null },
      { package: 'Acme:' },
      { 'metadata[package]': unresolved('Acme:', 'Isp') },
    ],
    ['an ISP alone that exists', { packageId: null }, { package: 'Acme:' }, null],
    [
      'a zone that does not exist',
      { zoneId: null },
      { timezone: 'Europe/Atlantis' },
      { 'metadata[timezone]': noZone('Europe/Atlantis') },
    ],
    ['no zone where none was named', { zoneId: null }, { package: 'Acme:' }, null],
    ['no package where none was named', { ispId: null, packageId: null }, { timezone: 'UTC' }, null],
  ])('looks up %s', (_what, found, fields, errors) => {
    expect(refused({ agent, metadata: fields }, { ...everything, ...found })).toEqual(errors)
  })
})

describe('what the interpretations of the specification add', () => {
  it.each<[string, unknown, FieldErrors]>([
    ['a list', [], { body: type('object') }],
    ['a text', 'x', { body: type('object') }],
    ['no metadata', { agent }, { metadata: missing }],
    ['a text for metadata', { agent, metadata: 'x' }, { metadata: type('object') }],
    ['empty metadata', { agent, metadata: {} }, { metadata: ['Metadata cannot be empty.'] }],
    ['a text for an agent', { agent: 'A-1', metadata }, { agent: type('object') }],
    ['a field it does not know', { agent, metadata, colour: 1 }, { colour: unexpected }],
    ['a misspelt selector', { agent: { agentid: 'A-1' }, metadata }, { 'agent[agentid]': unexpected }],
    ['a misspelt change', { agent, metadata: { zone: 'UTC' } }, { 'metadata[zone]': unexpected }],
    ['a control character to search by', { agent: { isp: 'a\u0000' }, metadata }, { 'agent[isp]': ['Invalid value'] }],
    ['a list for custom metadata', { agent, metadata: { custom: ['a'] } }, { 'metadata[custom]': type('object') }],
    ['a custom list', { agent, metadata: { custom: { a: [] } } }, { 'metadata[custom][a]': type('string') }],
    ['a custom flag', { agent, metadata: { custom: { a: true } } }, { 'metadata[custom][a]': type('string') }],
    [
      'a control character in a key',
      { agent, metadata: { custom: { 'a\n': 'x' } } },
      { 'metadata[custom][a\n]': ['Invalid key'] },
    ],
    [
      'half a character in a value',
      { agent, metadata: { custom: { a: '\ud800' } } },
      { 'metadata[custom][a]': ['Invalid value'] },
    ],
    [
      'a key and its value',
      { agent, metadata: { custom: { '1': [] } } },
      { 'metadata[custom][1]': ['Invalid key', ...type('string')] },
    ],
    [
      'everything at once',
      { agent: {}, metadata: { package: 'x', timezone: '?' }, backdate_from: 'x', overwrite_all: 0 },
      {
        agent: ['Agent cannot be empty.'],
        'metadata[package]': ['x is not a valid package name.'],
        'metadata[timezone]': ['? is not a valid IANA timezone.'],
        backdate_from: ['Invalid backdate (x). Must be a valid integer.'],
        overwrite_all: type('bool'),
      },
    ],
  ])('refuses %s', (_what, body, errors) => {
    expect(refused(body)).toEqual(errors)
  })

  it('clears all fields with empty metadata and overwrite_all', () => {
    expect(refused({ agent, metadata: {}, overwrite_all: true })).toBeNull()
  })

  it('sets the ISP and removes the package for a name that ends with a colon', () => {
    expect(changeOf({ agent, metadata: { package: 'Acme:' } }).package).toEqual({ isp: 'Acme', package: null })
  })

  it.each([
    ['é', null],
    ['_1a', null],
    ['1', 'Invalid key'],
    ['_-', 'Invalid key'],
    ['a'.repeat(255), null],
    ['a'.repeat(256), 'Invalid key'],
  ])('accepts or refuses the key %s', (key, fault) => {
    const path = `metadata[custom][${key}]`
    expect(refused({ agent, metadata: { custom: { [key]: 'x' } } })).toEqual(
      fault === null ? null : { [path]: [fault] },
    )
  })

  it('accepts values of up to 1,000 characters to write, and longer ones to search by', () => {
    const custom = (length: number) => ({ a: '👍'.repeat(length) })
    expect(refused({ agent, metadata: { custom: custom(1_000) } })).toBeNull()
    expect(refused({ agent, metadata: { custom: custom(1_001) } })).toEqual({
      'metadata[custom][a]': ['Invalid value'],
    })
    expect(refused({ agent: { custom: custom(1_001) }, metadata })).toBeNull()
  })

  it('accepts up to 1,000 fields to write', () => {
    const custom = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'x']))
    expect(refused({ agent, metadata: { custom: custom(1_000) } })).toBeNull()
    expect(refused({ agent, metadata: { custom: custom(1_001) } })).toEqual({
      'metadata[custom]': ['There may be at most 1000 custom fields.'],
    })
    expect(refused({ agent: { custom: custom(1_001) }, metadata })).toBeNull()
  })

  it.each(['agent_id', 'mac_address'])('accepts up to 255 characters of %s', (name) => {
    expect(refused({ agent: { [name]: 'a'.repeat(255) }, metadata })).toBeNull()
    expect(refused({ agent: { [name]: 'a'.repeat(256) }, metadata })).toEqual({ [`agent[${name}]`]: ['Invalid value'] })
  })

  it('accepts an ISP of any length, and the lookup does not find a long one', () => {
    expect(refused({ agent: { isp: 'a'.repeat(300) }, metadata })).toBeNull()
  })

  it.each(['Europe/London', 'Etc/GMT+5', 'America/Argentina/Buenos_Aires', 'UTC', `A${'b'.repeat(63)}`])(
    'leaves it to the lookup whether %s is a zone',
    (timezone) => {
      expect(changeOf({ agent, metadata: { timezone } }).zone).toBe(timezone)
    },
  )

  it.each(['', '5', '/London', 'Europe London', `A${'b'.repeat(64)}`, 'UTC\n'])('refuses %j as a zone', (timezone) => {
    expect(refused({ agent, metadata: { timezone } })).toEqual({
      'metadata[timezone]': [`${timezone} is not a valid IANA timezone.`],
    })
  })

  it.each([
    [9_007_199_254_740_991, true],
    [-1, true],
    [0, true],
    [9_007_199_254_740_992, false],
  ])('accepts the unit %d: %s', (unit, isTaken) => {
    expect(refused({ agent: { unit_id: unit }, metadata })).toEqual(
      isTaken ? null : { 'agent[unit_id]': type('integer') },
    )
  })

  it.each([
    [{ dry_run: true }, true],
    [{ dry_run: false }, false],
    [{ dry_run: 1 }, false],
    [{}, false],
    [[], false],
    ['dry_run', false],
  ])('interprets %j as a dry run: %s', (body, expected) => {
    expect(isDryRun(body)).toBe(expected)
  })
})

describe('a backdate', () => {
  const dayOf = (value: unknown): string => {
    let found = ''
    faultsOf((faults) => void (found = checkBackdate(value, now, faults).toString()))
    return found
  }

  it.each([
    [undefined, '2026-03-29'],
    [nowSeconds, '2026-03-29'],
    [nowSeconds - day, '2026-03-28'],
    [Date.UTC(2026, 2, 28) / 1000, '2026-03-28'],
    [Date.UTC(2026, 2, 28) / 1000 - 1, '2026-03-27'],
    [nowSeconds - 28 * day, '2026-03-01'],
  ])('of %s changes from %s on', (value, expected) => {
    expect(dayOf(value)).toBe(expected)
    expect(faultsOf((faults) => checkBackdate(value, now, faults))).toBeNull()
  })

  it.each([nowSeconds + 1, nowSeconds - 28 * day - 1, 0, -1])('of %d is refused', (value) => {
    expect(faultsOf((faults) => checkBackdate(value, now, faults))).toEqual({
      backdate_from: [`Invalid backdate (${value}). Must be in last 28 days.`],
    })
    expect(dayOf(value)).toBe('2026-03-29')
  })
})

it.each([
  ['Acme:Fibre', { isp: 'Acme', package: 'Fibre' }],
  ['Acme:Fibre:1G', { isp: 'Acme', package: 'Fibre:1G' }],
  ['A:', { isp: 'A', package: null }],
  ['Acme', null],
  [':Fibre', null],
  ['', null],
  ['Acme:Fib\nre', null],
  [7, null],
  [undefined, null],
])('interprets the package %j as %j', (value, expected) => {
  expect(parsePackage(value)).toEqual(expected)
})
