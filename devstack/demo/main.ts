/**
 * `npm run demo`: starts the stores and the service, creates small panels, and prints example requests. Ctrl-C stops
 * everything.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import type { Settings } from '../../src/serve/config-schema.ts'
import { readSettings } from '../../src/serve/config.ts'
import { createLog, logObservations } from '../../src/serve/telemetry/log.ts'
import { migrate } from '../../src/serve/tasks/migrate.ts'
import { followPanels } from '../../src/serve/tasks/synthesize-panel.ts'
import { startService, type Service } from '../../src/serve/wiring/service.ts'
import type { SynthesisOptions } from '../../synth/options.ts'
import { isPacked } from '../engine-packages.ts'
import { stackDown, stackUp } from '../index.ts'
import { installEngines } from '../install-engines.ts'
import { stackDirectory } from '../record/directories.ts'
import { createAccess, demoJson, examples, type DemoAccess } from './access.ts'
import { fillPanels } from './panels.ts'
import { freePorts } from './ports.ts'

const name = 'demo'
const days = 60
const demoFile = '.broadgauge/demo.json'
const step = (text: string) => process.stdout.write(`${text}\n`)

try {
  const { service, access, settings, panels } = await start()
  step(farewell(service, access))
  const stopping = new AbortController()
  // Add the results of today, and of each hour while the demo runs. This happens after the start, because it would delay it.
  const following = followPanels(settings, panels, stopping.signal).catch((error: unknown) =>
    step(`Results of the last hours could not be written: ${String(error)}`),
  )
  await untilToldToStop()
  stopping.abort()
  step('\nStopping …')
  await following
  await service.stop('the demo is over')
} catch (error) {
  process.stderr.write(`The demo could not start. ${error instanceof Error ? error.message : String(error)}\n`)
  const wipe = isPacked ? `rm -r ${stackDirectory(name)}` : `npm run stack -- down --wipe --name ${name}`
  process.stderr.write(`If data of an earlier version prevents the start: ${wipe}\n`)
  process.exitCode = 1
}
await stackDown({ name })

type Demo = {
  service: Service
  access: DemoAccess
  settings: Settings
  panels: readonly SynthesisOptions[]
}

async function start(): Promise<Demo> {
  step('1/4 engines')
  await installEngines((line) => step(`    ${line}`))
  const stack = await stackUp({ name, anyObjectStorage: true, observe: (line) => step(`    ${line}`) })
  const settings = readSettings({ ...stack.environment, ...(await freePorts()), BROADGAUGE_LOG_LEVEL: 'warn' })
  step('2/4 schema')
  const { postgres, clickhouse } = await migrate(settings)
  step(`    ${postgres.length + clickhouse.length} changes`)
  step('3/4 organisations, panels, agents, results, tokens')
  const panels = await fillPanels(settings, days, step)
  const access = await createAccess(settings)
  step('4/4 service')
  const service = await startService(settings, logObservations(createLog(settings.BROADGAUGE_LOG_LEVEL)))
  await mkdir('.broadgauge', { recursive: true })
  await writeFile(demoFile, demoJson(service.addresses, access), { mode: 0o600 })
  return { service, access, settings, panels }
}

function farewell({ addresses }: Service, access: DemoAccess): string {
  const { api } = addresses
  return [
    `\nBroadgauge answers at ${api}. Its description: ${api}/docs. Addresses and tokens: ${demoFile}. Try:\n`,
    ...examples(addresses, access),
    `Or, in another terminal here: npx broadgauge query httpget --split isp --format chart\n`,
    'Ctrl-C stops the service and the engines; the data stay for the next start.',
  ].join('\n')
}

function untilToldToStop(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
}
