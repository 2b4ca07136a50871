import { catalog } from '../../src/catalog/catalog.ts'
import { asOperator } from '../../src/engine/postgres/operator/operator.ts'
import { createOrganisation } from '../../src/engine/postgres/operator/organisations.ts'
import { createToken } from '../../src/engine/postgres/operator/tokens.ts'
import type { Settings } from '../../src/serve/config-schema.ts'
import { adminUrl } from '../../src/serve/config.ts'
import { synthesizePanel } from '../../src/serve/tasks/synthesize-panel.ts'

export type DownloadPanel = {
  readonly token: string
  readonly rows: number
  readonly firstDay: Temporal.PlainDate
  readonly lastDay: Temporal.PlainDate
}

/** Of the download test, per agent and day. */
const resultsADay = 9

/** An organisation with one panel, number 1, that has about `rows` results of the download test, and a token to ask for them. */
export async function fillDownloadPanel(
  settings: Settings,
  { rows, days, lastDay }: { rows: number; days: number; lastDay: Temporal.PlainDate },
): Promise<DownloadPanel> {
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
    agents: Math.ceil(rows / (days * resultsADay)),
    firstDay,
    lastDay,
    kinds: ['whitebox'],
    isp: null,
    tests: catalog.tests.filter(({ key }) => key === 'httpget'),
  })
  return { token, firstDay, lastDay, rows: written.reduce((sum, one) => sum + one.rows, 0) }
}
