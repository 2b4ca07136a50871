/**
 * Divides settings into the inputs of the chart: node chart-values.ts FOLDER < ENVIRONMENT. Standard input has the environment
 * of the container that fills the demo, one variable per line. Writes `values.json` for the chart, and one file for each of its
 * Secrets, in the form in which Podman keeps them: names and base64.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [folder = '.'] = process.argv.slice(2)
const settings = readFileSync(0, 'utf8')
  .split('\n')
  .map((line): [string, string] => [line.split('=', 1)[0] ?? '', line.slice(line.indexOf('=') + 1)])
  .filter(([name]) => name.startsWith('BROADGAUGE_'))

const isAdmin = (name: string) => name.includes('_ADMIN_')
// The chart refuses these names among its settings.
const isSecret = (name: string) => /PASSWORD|SECRET|ACCESS_KEY|POSTGRES_URL/.test(name)
// The image sets them, and so does the chart.
const isNoSetting = (name: string) => /^BROADGAUGE_(HOST|OPS_HOST|EXPORTS_MAX)$/.test(name)

const write = (file: string, value: object) => writeFileSync(join(folder, file), JSON.stringify(value), { mode: 0o600 })
const secret = (found: typeof settings) =>
  Object.fromEntries(found.map(([name, value]) => [name, Buffer.from(value).toString('base64')]))

write('values.json', {
  image: { repository: 'localhost/broadgauge', tag: 'latest', pullPolicy: 'Never' },
  // Two, and the one that a rolling update starts before it stops another.
  replicas: 3,
  settings: Object.fromEntries(settings.filter(([name]) => !isAdmin(name) && !isSecret(name) && !isNoSetting(name))),
  resources: { limits: { memory: '512Mi' } },
})
write('secret-broadgauge.json', secret(settings.filter(([name]) => !isAdmin(name) && isSecret(name))))
write('secret-broadgauge-migration.json', secret(settings.filter(([name]) => isAdmin(name))))
