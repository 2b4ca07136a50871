import { catalog } from '../../src/catalog/catalog.ts'
import { asOperator } from '../../src/engine/postgres/operator/operator.ts'
import { createOrganisation } from '../../src/engine/postgres/operator/organisations.ts'
import { createToken } from '../../src/engine/postgres/operator/tokens.ts'
import type { Settings } from '../../src/serve/config-schema.ts'
import { adminUrl } from '../../src/serve/config.ts'
import { synthesizePanel } from '../../src/serve/tasks/synthesize-panel.ts'

export type FilledPanel = {
  readonly token: string
  readonly rows: number
  readonly firstDay: Temporal.PlainDate
  readonly lastDay: Temporal.PlainDate
}

/** The numbers of results per agent and day of the tests that a bench can use. Agents are sometimes switched off. */
const resultsADay = { httpget: 9, latency: 20.5 }

export type BenchTest = keyof typeof resultsADay

/** Creates an organisation, a panel with the number 1 that has about `rows` results of a test, and a token to query them. */
export async function fillPanel(
  settings: Settings,
  { rows, days, lastDay, test }: { rows: number; days: number; lastDay: Temporal.PlainDate; test: BenchTest },
): Promise<FilledPanel> {
  const { token } = await asOperator(adminUrl(settings), async (operator) => {
    await createOrganisation(operator, { key: 'bench', name: 'bench', tests: ['*'], metrics: ['*'] })
    return createToken(operator, { organisation: 'bench', label: 'bench', scopes: ['data:read'], expiresAt: null })
  })
  const firstDay = lastDay.subtract({ days: days - 1 })
  const written = await synthesizePanel(settings, {
    panel: 'bench',
    owner: 'bench',
    name: 'bench',
    seed: 1,
    agents: Math.ceil(rows / (days * resultsADay[test])),
    firstDay,
    lastDay,
    kinds: ['whitebox'],
    isp: null,
    geography: 'united-kingdom',
    tests: catalog.tests.filter(({ key }) => key === test),
  })
  return { token, firstDay, lastDay, rows: written.reduce((sum, one) => sum + one.rows, 0) }
}
