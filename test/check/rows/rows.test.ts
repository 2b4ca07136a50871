import { expect, it } from 'vitest'
import { checkAgentRow } from '../../../src/check/rows/agent-row.ts'
import { checkPackageRow } from '../../../src/check/rows/package-row.ts'

const whitebox = { agent_id: 'A-1', unit_id: '7', kind: 'whitebox' }

it('accepts an agent, with empty cells as missing', () => {
  expect(checkAgentRow({ ...whitebox, mac_address: ' ', base: 'x' })).toEqual({
    agent_id: 'A-1',
    unit_id: '7',
    mac_address: null,
    kind: 'whitebox',
    base: 'x',
    country: null,
  })
  expect(checkAgentRow({ agent_id: 'phone', kind: 'mobile' })).toMatchObject({ unit_id: null })
})

it.each([
  [{ agent_id: '' }, 'agent_id'],
  [{ agent_id: '---' }, 'agent_id'],
  [{ agent_id: 'é1' }, 'agent_id'],
  [{ agent_id: 'x'.repeat(129) }, 'agent_id'],
  [{ unit_id: '' }, 'unit_id: a whitebox has one'],
  [{ unit_id: '1.5' }, 'unit_id'],
  [{ unit_id: '-1' }, 'unit_id'],
  [{ unit_id: '9007199254740992' }, 'unit_id'],
  [{ kind: 'router' }, 'kind'],
  [{ mac_address: '::' }, 'mac_address'],
  [{ mac_address: 'é1' }, 'mac_address'],
  [{ mac_address: 'x'.repeat(65) }, 'mac_address'],
  [{ unit_id: '', kind: 'cpe' }, 'unit_id: a cpe has one'],
  [{ base: 'a\u0007b' }, 'base, country: no control characters'],
  [{ country: 'a\u0007b' }, 'base, country: no control characters'],
])('refuses an agent with %j', (change, fault) => {
  expect(checkAgentRow({ ...whitebox, ...change })).toContain(fault)
})

it.each([
  [{ agent_id: 'x'.repeat(128) }, { agent_id: 'x'.repeat(128) }],
  [{ agent_id: ' ~a ' }, { agent_id: '~a' }],
  [{ mac_address: 'x'.repeat(64) }, { mac_address: 'x'.repeat(64) }],
  [{ unit_id: '9007199254740991' }, { unit_id: '9007199254740991' }],
  [
    { unit_id: '0', country: ' GB ' },
    { unit_id: '0', country: 'GB' },
  ],
])('accepts an agent with %j', (change, expected) => {
  expect(checkAgentRow({ ...whitebox, ...change })).toMatchObject(expected)
})

it.each(['mobile', 'web'])('accepts a %s without a unit', (kind) => {
  expect(checkAgentRow({ agent_id: 'a', kind })).toMatchObject({ kind, unit_id: null })
})

it('accepts a package; advertised megabits are decimal', () => {
  expect(checkPackageRow({ isp: 'Acme', package: 'Fibre: 1G', download_mbps: '1000.5', upload_mbps: '' })).toEqual({
    isp: 'Acme',
    package: 'Fibre: 1G',
    download_bits_sec: 1_000_500_000,
    upload_bits_sec: null,
  })
})

it.each([
  [{ isp: 'A:B' }, 'isp'],
  [{ isp: '' }, 'isp'],
  [{ package: '' }, 'package'],
  [{ package: 'a\u0000' }, 'package'],
  [{ download_mbps: '0' }, 'download_mbps'],
  [{ upload_mbps: 'fast' }, 'upload_mbps'],
  [{ upload_mbps: '12345678' }, 'upload_mbps'],
  [{ upload_mbps: '1.1234567' }, 'upload_mbps'],
  [{ download_mbps: '-1' }, 'download_mbps'],
  [{ isp: 'a\u0000' }, 'isp'],
])('refuses a package with %j', (change, fault) => {
  expect(checkPackageRow({ isp: 'Acme', package: 'Basic', ...change })).toContain(fault)
})
