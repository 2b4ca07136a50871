/**
 * `broadgauge demo --fill`: fills the stores of the settings for a demo, and prints addresses, tokens and example requests. It
 * starts no stores and no service: deploy/compose.demo.yaml does. A later run adds the results since the previous one and
 * replaces the tokens.
 */
import { readSettings } from '../../src/serve/config.ts'
import { migrate } from '../../src/serve/tasks/migrate.ts'
import { continuePanel } from '../../src/serve/tasks/synthesize-panel.ts'
import { createAccess, demoJson, examples } from './access.ts'
import { fillPanels } from './panels.ts'

/** Half as many as in `npm run demo`: enough for charts of the last 30 days, and twice as fast. */
const days = 30
const say = (text: string) => process.stdout.write(`${text}\n`)

const settings = readSettings(process.env)
say('1/3 schema')
const { postgres, clickhouse } = await migrate(settings)
say(`    ${postgres.length + clickhouse.length} changes`)
say('2/3 organisations, panels, agents, results')
const panels = await fillPanels(settings, days, say)
const hour = Temporal.Now.instant().round({ smallestUnit: 'hour', roundingMode: 'floor' })
for (const panel of panels) await continuePanel(settings, panel, hour)
say('3/3 tokens')
const access = await createAccess(settings)
// The ports that Compose publishes are those on which the service listens.
const urlOf = (port: number) => `http://127.0.0.1:${port}`
const addresses = {
  api: urlOf(settings.BROADGAUGE_PORT),
  ingest: urlOf(settings.BROADGAUGE_INGEST_PORT),
  operations: urlOf(settings.BROADGAUGE_OPS_PORT),
}
say(`\nWhen the service is ready, it answers at ${addresses.api}. Its description: ${addresses.api}/docs. Try:\n`)
for (const line of examples(addresses, access)) say(line)
say('Or save this as .broadgauge/demo.json, for `npx broadgauge query httpget --split isp --format chart`:\n')
say(demoJson(addresses, access))
