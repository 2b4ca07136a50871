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

const labTests = ['httpget', 'httppost', 'latency']

type DemoPanel = Pick<SynthesisOptions, 'panel' | 'name' | 'owner' | 'agents' | 'kinds' | 'isp' | 'geography' | 'tests'>

const national: DemoPanel = {
  panel: 'national',
  name: 'National fixed lines',
  owner: 'regulator',
  agents: 1_600,
  kinds: ['whitebox', 'cpe', 'web'],
  isp: null,
  geography: 'united-kingdom',
  tests: catalog.tests,
}

const phones: DemoPanel = { ...national, panel: 'phones', name: 'National phones', agents: 300, kinds: ['mobile'] }

/**
 * A panel whose agents are customers of one ISP. It has results only of the tests that the organisation `isp` is entitled to.
 */
const lab: DemoPanel = {
  panel: 'acme-lab',
  name: 'Acme laboratory',
  owner: 'isp',
  agents: 100,
  kinds: ['whitebox', 'cpe'],
  isp: 'Acme Broadband',
  geography: 'united-kingdom',
  tests: catalog.tests.filter(({ key }) => labTests.includes(key)),
}

/**
 * Creates the panels of the demo. A regulator has a national panel of fixed lines and a panel of phones. An ISP has its own
 * panel, which the regulator can read. The ISP cannot read data of the regulator. Data of an earlier start is not changed;
 * `followPanels` adds the results since then.
 */
export async function fillPanels(
  settings: Settings,
  days: number,
  say: (line: string) => void,
): Promise<SynthesisOptions[]> {
  await asOperator(adminUrl(settings), createOrganisations)
  const panels: SynthesisOptions[] = []
  for (const panel of [national, phones, lab]) {
    say(`    ${panel.name}: ${panel.agents} agents, ${days} days`)
    const lastDay = await asOperator(adminUrl(settings), (operator) => lastDayOf(operator, panel.panel))
    const options = { ...panel, seed: 1, firstDay: lastDay.subtract({ days: days - 1 }), lastDay }
    const written = await synthesizePanel(settings, options, showSteps(process.stdout))
    panels.push(options)
    say(`    ${written.reduce((sum, { rows }) => sum + rows, 0).toLocaleString('en')} results`)
  }
  const subscription = { panel: 'acme-lab', organisation: 'regulator', subscribed: true }
  await asOperator(adminUrl(settings), (operator) => changeSubscription(operator, subscription))
  return panels
}

async function createOrganisations(operator: Operator): Promise<void> {
  const present = new Set((await findOrganisations(operator)).map(({ key }) => key))
  const everything = { tests: ['*'], metrics: ['*'] }
  if (!present.has('regulator'))
    await createOrganisation(operator, { key: 'regulator', name: 'National Regulator', ...everything })
  if (!present.has('isp'))
    await createOrganisation(operator, { key: 'isp', name: 'Acme Broadband', ...everything, tests: labTests })
}

/** The last day with results: the day before the first start. Later starts do not change it. */
async function lastDayOf(operator: Operator, panel: string): Promise<Temporal.PlainDate> {
  const present = await readSyntheticPanel(operator, panel)
  if (present !== null) return Temporal.PlainDate.from(String(present.record['lastDay']))
  return Temporal.Now.plainDateISO('UTC').subtract({ days: 1 })
}
