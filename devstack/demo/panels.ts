import type { AgentRow } from '../../src/check/agent-row.ts'
import type { PackageRow } from '../../src/check/package-row.ts'
import { importAgents } from '../../src/engine/postgres/operator/import-agents.ts'
import { importPackages } from '../../src/engine/postgres/operator/import-packages.ts'
import type { Operator } from '../../src/engine/postgres/operator/operator.ts'
import { createOrganisation, findOrganisations } from '../../src/engine/postgres/operator/organisations.ts'
import { changeSubscription, createPanel } from '../../src/engine/postgres/operator/panels.ts'

const fixedLines: AgentRow[] = ['London', 'Leeds', 'Cardiff', 'Belfast'].map((town, index) => ({
  agent_id: `WB-${town}`,
  unit_id: String(100_001 + index),
  mac_address: `02:00:5E:00:00:0${index}`,
  kind: index === 3 ? 'cpe' : 'whitebox',
  base: index === 3 ? 'router-9' : 'whitebox-8',
  country: 'GB',
}))

const phones: AgentRow[] = [1, 2].map((number) => ({
  agent_id: `phone-${number}`,
  unit_id: null,
  mac_address: null,
  kind: 'mobile',
  base: 'pixel-12',
  country: 'GB',
}))

const packages: PackageRow[] = [
  { isp: 'Acme Broadband', package: 'Fibre 100', download_bits_sec: 100_000_000, upload_bits_sec: 20_000_000 },
  { isp: 'Acme Broadband', package: 'Fibre 900', download_bits_sec: 900_000_000, upload_bits_sec: 110_000_000 },
  { isp: 'Borough Cable', package: 'Cable 250', download_bits_sec: 250_000_000, upload_bits_sec: 25_000_000 },
]

/**
 * Two organisations that see different things: a regulator with a national panel of fixed lines and phones, and an ISP
 * with a laboratory of its own, subscribed to nothing. Does nothing when they are there from an earlier start.
 */
export async function createPanels(operator: Operator): Promise<void> {
  const present = await findOrganisations(operator)
  if (present.some(({ key }) => key === 'regulator')) return
  await createOrganisation(operator, { key: 'regulator', name: 'National Regulator', tests: ['*'], metrics: ['*'] })
  const labTests = ['httpget', 'httppost', 'latency']
  await createOrganisation(operator, { key: 'isp', name: 'Acme Broadband', tests: labTests, metrics: ['*'] })
  await createPanel(operator, { key: 'national', name: 'National fixed lines', owner: 'regulator' })
  await createPanel(operator, { key: 'phones', name: 'National phones', owner: 'regulator' })
  await createPanel(operator, { key: 'acme-lab', name: 'Acme laboratory', owner: 'isp' })
  await changeSubscription(operator, { panel: 'acme-lab', organisation: 'regulator', subscribed: true })
  await importPackages(operator, asLines(packages), () => {})
  await importAgents(operator, 'national', asLines(fixedLines), () => {})
  await importAgents(operator, 'phones', asLines(phones), () => {})
  await importAgents(operator, 'acme-lab', asLines([labBox]), () => {})
}

const labBox: AgentRow = {
  agent_id: 'lab-1',
  unit_id: '900001',
  mac_address: '02:00:5E:00:01:01',
  kind: 'whitebox',
  base: 'whitebox-8',
  country: 'GB',
}

async function* asLines<Row>(rows: Row[]): AsyncGenerator<{ line: number; row: Row }> {
  for (const [index, row] of rows.entries()) yield { line: index + 1, row }
}
