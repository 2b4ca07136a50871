import { describe, expect, it } from 'vitest'
import { checkUnitProfileRow, profileColumns } from '../../../src/check/rows/unit-profile-row.ts'

const proper = {
  unit_id: '1007',
  isp: 'Acme',
  technology: 'Fiber',
  state: 'NY',
  census: 'Northeast',
  offset: '-5',
  offset_dst: '-4',
  download: '100',
  upload: '10.50',
  model: 'v8',
}
const check = (change: Record<string, string> = {}) => checkUnitProfileRow({ ...proper, ...change })

it('is a whitebox whose id is the number of the unit, with its offer', () => {
  expect(check()).toEqual({
    agent: { agent_id: '1007', unit_id: '1007', mac_address: null, kind: 'whitebox', base: 'v8', country: 'US' },
    isp: 'Acme',
    offer: { isp: 'Acme', package: 'Fiber 100/10.5', download_bits_sec: 100_000_000, upload_bits_sec: 10_500_000 },
    timezone: 'America/New_York',
    custom: { technology: 'Fiber', state: 'NY', census: 'Northeast' },
  })
})

it('ignores empty cells', () => {
  const nothing = {
    isp: '',
    technology: '',
    state: ' ',
    census: '',
    offset: '',
    offset_dst: '',
    download: '',
    upload: '',
    model: '',
  }
  expect(check(nothing)).toEqual({
    agent: { agent_id: '1007', unit_id: '1007', mac_address: null, kind: 'whitebox', base: null, country: 'US' },
    isp: null,
    offer: null,
    timezone: null,
    custom: {},
  })
})

it.each([
  ['-5', '-4', 'America/New_York'],
  ['-6', '-5', 'America/Chicago'],
  ['-7.0', '-6', 'America/Denver'],
  ['-7', '-7', 'America/Phoenix'],
  ['-8', '-7', 'America/Los_Angeles'],
  ['-9', '-8', 'America/Anchorage'],
  ['-10', '-10', 'Pacific/Honolulu'],
])('is in the zone with the offsets %s and %s', (offset, offsetDst, timezone) => {
  expect(check({ offset, offset_dst: offsetDst })).toMatchObject({ timezone })
})

it.each([
  ['-4', '-3'],
  ['-5', ''],
  ['', '-4'],
  ['x', 'y'],
])('is refused with the offsets %j and %j', (offset, offsetDst) => {
  expect(check({ offset, offset_dst: offsetDst })).toBe(
    `time-zone offsets ${offset}/${offsetDst}: there is a zone for -5/-4, -6/-5, -7/-6, -7/-7, -8/-7, -9/-8, -10/-10; leave both empty when it is not known`,
  )
})

it.each([
  [{ unit_id: '' }, 'unit_id: 1 to 128 ASCII characters with a letter or digit'],
  [{ unit_id: 'x' }, 'unit_id: a whole number from 0 to 9007199254740991'],
  [{ state: 'N\u0000Y' }, 'technology, state, census: no control characters'],
  [{ isp: 'A:B' }, 'isp: a name without a colon'],
  [{ download: '0' }, 'download_mbps: a number above 0, or empty'],
])('is refused with %j', (change, fault) => {
  expect(check(change)).toBe(fault)
})

describe('an offer', () => {
  it.each([
    [{ download: '[1.1 - 3.0]' }, 'Fiber [1.1 - 3.0]/10.5', null, 10_500_000],
    [{ upload: '' }, 'Fiber 100/?', 100_000_000, null],
    [{ technology: '' }, '100/10.5', 100_000_000, 10_500_000],
    [{ download: '1.50', upload: '007' }, 'Fiber 1.5/7', 1_500_000, 7_000_000],
  ])('with %j is called %s', (change, name, download, upload) => {
    expect(check(change)).toMatchObject({
      offer: { isp: 'Acme', package: name, download_bits_sec: download, upload_bits_sec: upload },
    })
  })

  it('is absent without an ISP, or without speeds', () => {
    expect(check({ isp: '' })).toMatchObject({ isp: null, offer: null })
    expect(check({ download: '', upload: '' })).toMatchObject({ isp: 'Acme', offer: null })
  })
})

describe('columns of a profile', () => {
  const all = [
    'Unit ID',
    'ISP',
    'Technology',
    'State',
    'Census',
    'Timezone Offset',
    'Timezone Offset DST',
    'Download',
    'Upload',
    'Whitebox Model',
  ]

  it('are recognised without case and punctuation, in any order', () => {
    expect(profileColumns(all)).toEqual({
      names: ['unit_id', 'isp', 'technology', 'state', 'census', 'offset', 'offset_dst', 'download', 'upload', 'model'],
      missing: [],
    })
    expect(profileColumns(all.toReversed()).names[0]).toBe('model')
  })

  it.each([
    ['census_region', 'census'],
    ['tz', 'offset'],
    ['timezone', 'offset'],
    ['dst', 'offset_dst'],
    ['timezone_dst', 'offset_dst'],
    ['Download Speed', 'download'],
    ['upload_speed', 'upload'],
    ['model', 'model'],
  ])('include %s as %s', (name, ours) => {
    expect(profileColumns([name]).names).toEqual([ours])
  })

  it('are missing if they are absent or occur twice; other columns keep their own names', () => {
    const found = profileColumns([...all.slice(1), 'Notes', 'ISP'])
    expect(found.names.slice(-2)).toEqual(['unused 10', 'isp'])
    expect(found.missing).toEqual(['unit_id', 'isp'])
  })
})
