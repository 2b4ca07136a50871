import { catalog } from '../../src/catalog/catalog.ts'
import { asOperator, type Operator } from '../../src/engine/postgres/operator/operator.ts'
import { createOrganisation, findOrganisations } from '../../src/engine/postgres/operator/organisations.ts'
import { changeSubscription } from '../../src/engine/postgres/operator/panels.ts'
import { readSyntheticPanel } from '../../src/engine/postgres/operator/synthetic-panels.ts'
import type { SynthesisOptions } from '../../synth/options.ts'
import { adminUrl } from '../../src/serve/config.ts'
import type { Settings } from '../../src/serve/config-schema.ts'
import { showSteps } from '../../src/serve/output.ts'
import { synthesizePanel } from '../../src/serve/tasks/synthesize-panel.ts'

const days = 60
const labTests = ['httpget', 'httppost', 'latency']

type DemoPanel = Pick<SynthesisOptions, 'panel' | 'name' | 'owner' | 'agents' | 'kinds' | 'isp' | 'tests'>

const national: DemoPanel = {
  panel: 'national',
  name: 'National fixed lines',
  owner: 'regulator',
  agents: 1_600,
  kinds: ['whitebox', 'cpe', 'web'],
  isp: null,
  tests: catalog.tests,
}

const phones: DemoPanel = { ...national, panel: 'phones', name: 'National phones', agents: 300, kinds: ['mobile'] }

/** Customers of one ISP, and only the tests it is entitled to. */
const lab: DemoPanel = {
  panel: 'acme-lab',
  name: 'Acme laboratory',
  owner: 'isp',
  agents: 100,
  kinds: ['whitebox', 'cpe'],
  isp: 'Acme Broadband',
  tests: catalog.tests.filter(({ key }) => labTests.includes(key)),
}

/**
 * A regulator with a national panel of fixed lines and one of phones, and an ISP with a panel of its own, which the
 * regulator may read; the ISP sees nothing of the regulator's. What is there from an earlier start is left as it is.
 */
export async function fillPanels(settings: Settings, say: (line: string) => void): Promise<void> {
  await asOperator(adminUrl(settings), createOrganisations)
  for (const panel of [national, phones, lab]) {
    say(`    ${panel.name}: ${panel.agents} agents, ${days} days`)
    const lastDay = await asOperator(adminUrl(settings), (operator) => lastDayOf(operator, panel.panel))
    const options = { ...panel, seed: 1, firstDay: lastDay.subtract({ days: days - 1 }), lastDay }
    const written = await synthesizePanel(settings, options, showSteps(process.stdout))
    say(`    ${written.reduce((sum, { rows }) => sum + rows, 0).toLocaleString('en')} results`)
  }
  const subscription = { panel: 'acme-lab', organisation: 'regulator', subscribed: true }
  await asOperator(adminUrl(settings), (operator) => changeSubscription(operator, subscription))
}

async function createOrganisations(operator: Operator): Promise<void> {
  const present = new Set((await findOrganisations(operator)).map(({ key }) => key))
  const everything = { tests: ['*'], metrics: ['*'] }
  if (!present.has('regulator'))
    await createOrganisation(operator, { key: 'regulator', name: 'National Regulator', ...everything })
  if (!present.has('isp'))
    await createOrganisation(operator, { key: 'isp', name: 'Acme Broadband', ...everything, tests: labTests })
}

/** Yesterday at the first start; the data stay as they are at later ones. */
async function lastDayOf(operator: Operator, panel: string): Promise<Temporal.PlainDate> {
  const present = await readSyntheticPanel(operator, panel)
  if (present !== null) return Temporal.PlainDate.from(String(present.record['lastDay']))
  return Temporal.Now.plainDateISO('UTC').subtract({ days: 1 })
}
