import { spawnSync } from 'node:child_process'
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { configSchema } from '../../src/serve/config-schema.ts'
import { readSettings } from '../../src/serve/config.ts'

type Schema = { propertyNames?: { pattern: string; not?: { pattern: string } } }

const read = (path: string): string => readFileSync(path, 'utf8')
const compose = read('deploy/compose.yaml')
const model = read('devstack/clickhouse/users.xml')
const users = read('deploy/compose/clickhouse/users.xml')

const filledIn: Record<string, string> = { S3_ENDPOINT: 'https://s3.example.org', S3_BUCKET: 'panel-files' }

/** Replaces all variables in the text: by the operator's value in `filledIn`, or by `secret`. */
const interpolated = (text: string): string =>
  text.replaceAll(/\$\{(\w+):\?[^}]*\}/g, (_, name: string) => filledIn[name] ?? 'secret')

/** The settings `NAME: value` in a block of the Compose file. */
const settingsIn = (block: string): Record<string, string> =>
  Object.fromEntries(
    [...interpolated(block).matchAll(/^ +(BROADGAUGE_\w+): '?([^'\n]+)'?$/gm)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  )

it('gives the service in the Compose file only settings that the service accepts', () => {
  const [, block = ''] = /^x-settings:([\s\S]*?)^\S/m.exec(compose) ?? []
  const settings = readSettings(settingsIn(block))
  expect(settings).toMatchObject({ BROADGAUGE_CLICKHOUSE_CLUSTER: 'broadgauge', BROADGAUGE_S3_BUCKET: 'panel-files' })
  const [, migrate = ''] = /^ {2}migrate:([\s\S]*?)^ {2}\w/m.exec(compose) ?? []
  expect(readSettings({ ...settingsIn(block), ...settingsIn(migrate) }).BROADGAUGE_CLICKHOUSE_ADMIN_USER).toBe(
    'bg_admin',
  )
})

it('generates or asks for every secret that the Compose file names, and no other', () => {
  const made = read('deploy/compose/secrets.sh').match(/\b(POSTGRES|CLICKHOUSE|S3)_[A-Z0-9_]+(?=[ =;\\\n])/g) ?? []
  const named = [...compose.matchAll(/\$\{(\w+)/g)].map(([, name]) => name)
  expect(new Set(made)).toEqual(new Set(named))
  // Every variable must be required: Compose starts nothing while a required secret is missing. With an empty password,
  // every caller could connect.
  expect(compose.match(/\$\{\w+(?!:\?|\w)/g) ?? []).toEqual([])
})

it("uses the same bucket for the service, for ClickHouse and in ClickHouse's write grant", () => {
  const settings = settingsIn(compose)
  const environment = interpolated(compose)
  const url = `${settings['BROADGAUGE_S3_ENDPOINT']}/${settings['BROADGAUGE_S3_BUCKET']}/`
  expect(url).toBe('https://s3.example.org/panel-files/')
  expect(environment).toContain(`S3_BUCKET_URL: ${url}\n`)
  expect(environment).toContain(`CLICKHOUSE_EXPORT_GRANT: GRANT READ, WRITE ON S3('\\Q${url}\\E.*')\n`)
  expect(read('deploy/compose/clickhouse/cluster.xml')).toContain('<url overridable="false" from_env="S3_BUCKET_URL"/>')
  expect(users).toContain('<query from_env="CLICKHOUSE_EXPORT_GRANT"/>')
  // The other tests run with a grant in this format.
  expect(read('devstack/clickhouse/configuration.ts')).toContain("GRANT READ, WRITE ON S3('\\\\Q${bucket}\\\\E.*')")
})

it('includes no object storage in the Compose file', () => {
  expect(compose).not.toMatch(/minio|objects/i)
})

it('names images by an exact version, and by digest where one is known', () => {
  const images = [
    ...[...compose.matchAll(/^ +image: (\S+)$/gm)].map(([, image = '']) => image),
    ...[...read('deploy/docker/Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, image = '']) => image),
  ].filter((image) => image !== 'broadgauge')
  expect(images).toHaveLength(7)
  expect(images.filter((image) => !/^[\w./-]+:\d+(\.\d+)+(-slim)?(@sha256:[0-9a-f]{64})?$/.test(image))).toEqual([])
  const byVersion = images.filter((image) => !image.includes('@'))
  expect(byVersion.map((image) => image.split(':')[0])).toEqual(['clickhouse/clickhouse-keeper'])
  expect(read('docs/deployment.md')).toContain(`docker buildx imagetools inspect ${byVersion[0]}`)
})

it('passes no secret as a program argument', () => {
  const commands = [...compose.matchAll(/^ +(?:test|command|entrypoint): ([^]*?)(?=\n +[\w-]+:|\n\n)/gm)].map(
    ([text]) => text,
  )
  expect(commands.length).toBeGreaterThan(4)
  expect(commands.filter((text) => /PASSWORD|SECRET|ACCESS_KEY/.test(text))).toEqual([])
  const scripts = globSync('deploy/{compose,backup}/**/*.sh').map(read)
  const options = /\s(?:-v|--set|--password|--secret|--user)[ =][^\n]*\$\{?\w*(?:PASSWORD|SECRET|ACCESS_KEY)/
  expect(scripts.filter((text) => options.test(text))).toEqual([])
  for (const file of ['docker/Dockerfile', ...globSync('helm/broadgauge/templates/*', { cwd: 'deploy' })]) {
    expect(read(`deploy/${file}`), file).not.toMatch(/(?:HEALTHCHECK|exec:|command:)[^\n]*(?:PASSWORD|SECRET)/)
  }
})

it('writes secrets once, readable only by their owner, and excludes them from git, the image and the package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'broadgauge-secrets-'))
  try {
    mkdirSync(join(folder, 'compose'))
    copyFileSync('deploy/compose/secrets.sh', join(folder, 'compose/secrets.sh'))
    const write = () => spawnSync('sh', [join(folder, 'compose/secrets.sh')], { encoding: 'utf8' })
    expect(write()).toMatchObject({ status: 0, stdout: '', stderr: '' })
    const file = join(folder, '.env')
    const written = read(file)
    expect(written).toMatch(/^CLICKHOUSE_ADMIN_PASSWORD=[0-9a-f]{48}$/m)
    // The script generates no keys for the operator's object store, so these settings are empty. Compose starts nothing
    // while one of them is empty.
    expect(written.match(/^S3_\w+=$/gm)).toHaveLength(5)
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
    expect(write()).toMatchObject({ status: 1, stderr: expect.stringContaining('is there already') })
    expect(read(file)).toBe(written)
  } finally {
    rmSync(folder, { recursive: true })
  }
  expect(read('.gitignore')).toMatch(/^\.env$/m)
  expect(read('deploy/docker/Dockerfile.dockerignore')).toMatch(/^\*\*\/\.env$/m)
  expect((JSON.parse(read('package.json')) as { files: string[] }).files).toContain('!deploy/.env')
})

/** `profile` returns the settings of a profile and `grants` the grants of a user, wherever they are in the file. */
const profile = (text: string, name: string): string[] =>
  [...(new RegExp(`<${name}>([\\s\\S]*?)</${name}>`).exec(text)?.[1] ?? '').matchAll(/<(\w+)>([^<]*)<\/\1>/g)]
    .map(([, setting, value]) => `${setting} ${value}`)
    .toSorted()
const grants = (text: string, user: string): string[] =>
  [...(new RegExp(`<bg_${user}>([\\s\\S]*?)</bg_${user}>`).exec(text)?.[1] ?? '').matchAll(/<query>(.*)<\/query>/g)]
    .map(([, grant = '']) => grant.replace('broadgauge*.*', 'broadgauge.*'))
    .filter((grant) => !/elsewhere|READ, WRITE ON S3/.test(grant))
    .toSorted()

const ofReplicas = /^(load_balancing in_order|prefer_localhost_replica 0|insert_quorum 2)$/

it.each(['admin', 'query', 'stream', 'ingest', 'export'])('gives %s the same profile as in the tests', (name) => {
  expect(profile(model, name)).not.toEqual([])
  expect(profile(users, name).filter((setting) => !ofReplicas.test(setting))).toEqual(profile(model, name))
})

const readsAlike = ['load_balancing in_order', 'prefer_localhost_replica 0']
const writesToBoth = ['insert_quorum 2', ...readsAlike]

// The profile `stream` inherits from `query`. The user `admin` writes too: restored rows, and rollups, which it reads
// at once to build coarser rollups.
it.each([
  ['admin', writesToBoth],
  ['ingest', writesToBoth],
  ['query', readsAlike],
  ['export', readsAlike],
])('lets %s see all acknowledged writes on every replica', (name, settings) => {
  expect(profile(users, name).filter((setting) => ofReplicas.test(setting))).toEqual(settings)
  expect(profile(users, 'stream')).toContain('profile query')
})

it.each(['admin', 'query', 'stream', 'dictionary', 'ingest', 'export'])(
  'gives bg_%s the same grants as in the tests',
  (user) => {
    expect(grants(model, user)).not.toEqual([])
    expect(grants(users, user)).toEqual(grants(model, user))
  },
)

it.each(['query', 'stream', 'ingest', 'export'])('lets bg_%s read no dictionary', (user) => {
  const files = globSync('migrations/clickhouse/*.sql').map(read).join('\n')
  const dictionaries = [...files.matchAll(/^CREATE .*DICTIONARY .*\.(\w+) \($/gm)].map(([, name]) => name)
  const revoked = grants(users, user).find((grant) => grant.startsWith('REVOKE')) ?? ''
  expect(new Set([...revoked.matchAll(/SELECT ON broadgauge\.(\w+)/g)].map(([, name]) => name))).toEqual(
    new Set(dictionaries),
  )
})

it('has the same row policies as the tests', () => {
  expect(read('deploy/compose/clickhouse/row-policies.xml')).toBe(read('devstack/clickhouse/users.d/row-policies.xml'))
})

it('gives the chart the version of the package, and only settings that exist', () => {
  const { version }: { version: string } = JSON.parse(read('package.json'))
  const chart = read('deploy/helm/broadgauge/Chart.yaml')
  expect([...chart.matchAll(/^(?:version|appVersion): (.*)$/gm)].map(([, one]) => one)).toEqual([version, version])
  const files = ['values.yaml', 'templates/_helpers.tpl', 'templates/serve.yaml'].map((file) =>
    read(`deploy/helm/broadgauge/${file}`),
  )
  const named = files.flatMap((text) => text.match(/\bBROADGAUGE_[A-Z0-9_]+/g) ?? [])
  expect(named.filter((name) => !(name in configSchema.shape))).toEqual([])
  // The default is true. Then Kubernetes would add environment variables for a Service with this name, and the service
  // would reject them as unknown settings.
  expect(read('deploy/helm/broadgauge/templates/_helpers.tpl')).toContain('enableServiceLinks: false')
})

it('accepts as chart values what the chart uses, and no secret among the settings', () => {
  const schema = JSON.parse(read('deploy/helm/broadgauge/values.schema.json')) as { properties: Record<string, Schema> }
  const top = [...read('deploy/helm/broadgauge/values.yaml').matchAll(/^(\w+):/gm)].map(([, name = '']) => name)
  expect(
    Object.keys(schema.properties)
      .filter((name) => name !== 'global')
      .toSorted(),
  ).toEqual(top.toSorted())
  // Helm compiles the patterns of the schema with Go's regexp package, which has no lookahead and no lookbehind. Helm
  // rejects a chart whose schema uses them.
  expect(JSON.stringify(schema)).not.toMatch(/\(\?<?[=!]/)
  const names = schema.properties['settings']?.propertyNames
  const [allowed, refused] = [names?.pattern, names?.not?.pattern].map((pattern = '^') => new RegExp(pattern))
  const secrets = Object.keys(configSchema.shape).filter((name) => !allowed?.test(name) || refused?.test(name))
  expect(secrets.toSorted()).toEqual(
    Object.keys(configSchema.shape)
      .filter((name) => /PASSWORD|SECRET|ACCESS_KEY|POSTGRES(_ADMIN)?_URL/.test(name))
      .toSorted(),
  )
})

it('keeps row policies in a separate file, at the path that the documents name', () => {
  const [, policies = 'none'] = /row-policies\.xml:(\S+):ro/.exec(compose) ?? []
  const [, taken = 'none'] = /compose\/clickhouse\/users\.xml:(\S+):ro/.exec(compose) ?? []
  const written = read('docs/operations.md').match(/row-policies --format xml > (\S+)/)?.[1]
  expect(written).toBe(policies)
  expect(written).not.toBe(taken)
})

it('gives PostgreSQL in the Compose file as many connections as in the tests, and more than the services can open', () => {
  const [, most = ''] = /-c, max_connections=(\d+)\]/.exec(compose) ?? []
  expect(read('devstack/postgres/component.ts')).toContain(`max_connections: '${most}'`)
  // The sum from docs/operations.md. It counts the pools of `serve` and of the worker, the pools of one more process of
  // each during an upgrade, one connection for each dictionary on each ClickHouse node, and 15 more connections.
  const { BROADGAUGE_POSTGRES_POOL_MAX: pool } = readSettings(settingsIn(compose))
  const files = globSync('migrations/clickhouse/*.sql').map(read).join('\n')
  const dictionaries = new Set([...files.matchAll(/^CREATE .*DICTIONARY .*\.(\w+) \($/gm)].map(([, name]) => name))
  const nodes = compose.match(/^ {2}clickhouse-\d-\d:\n {4}/gm) ?? []
  expect([dictionaries.size, nodes.length]).toEqual([12, 4])
  expect(Number(most)).toBeGreaterThanOrEqual(4 * pool + dictionaries.size * nodes.length + 15)
  expect(read('docs/operations.md')).toContain(`+ ${dictionaries.size} × ClickHouse nodes + 15`)
})

it('mounts only files that exist', () => {
  const mounted = [...compose.matchAll(/(\.\/compose\/[\w./-]+):/g)].map(([, path]) => `deploy/${path}`)
  expect(mounted.length).toBeGreaterThan(3)
  expect(mounted.filter((path) => globSync(path).length === 0)).toEqual([])
})

it('installs build tools with their optional native parts, and the image without optional packages', () => {
  const stages = read('deploy/docker/Dockerfile')
    .split(/^FROM /m)
    .slice(1)
  const installs = stages.map((stage) => /^RUN (npm ci .*)$/m.exec(stage)?.[1] ?? '')
  expect(installs[0]).toMatch(/^npm ci (?!.*--omit).*&& npm run build$/)
  expect(installs[1]).toMatch(/--omit=dev --omit=optional/)
  const copied = [...(stages[2] ?? '').matchAll(/^COPY --from=(\S+) (\S+)/gm)].map(
    ([, stage, path]) => `${stage} ${path}`,
  )
  expect(copied).toEqual(['installed /app/node_modules', 'built /app/dist'])
  const lock: { packages: Record<string, { optional?: boolean }> } = JSON.parse(read('package-lock.json'))
  const native = Object.entries(lock.packages).filter(([path]) =>
    /^node_modules\/(@rolldown\/binding-|@typescript\/typescript-|lightningcss-)linux-x64/.test(path),
  )
  expect(native.length).toBeGreaterThan(2)
  expect(native.filter(([, { optional }]) => optional !== true)).toEqual([])
})

const template = (name: string): string => read(`deploy/helm/broadgauge/templates/${name}.yaml`)

it('opens each port of the pods either to callers or to monitoring, never to both', () => {
  const [every = '', callers = ''] = template('networkpolicy').split('\n---\n')
  const named = (text: string) => [...text.matchAll(/\{ port: (\w+) \}/g)].map(([, name]) => name)
  expect([named(every), named(callers)]).toEqual([['operations'], ['api', 'ingest']])
  const open = [...template('serve').matchAll(/\{ name: (\w+), containerPort/g)].map(([, name]) => name)
  expect(new Set(open)).toEqual(new Set([...named(every), ...named(callers)]))
  expect(read('deploy/helm/broadgauge/values.yaml')).toMatch(/^networkPolicy:\n {2}enabled: true$/m)
})

it('gives an older version its own settings when the chart is rolled back, and runs no migration', () => {
  const hooks = (name: string) => /helm\.sh\/hook: (.*)/.exec(template(name))?.[1]
  expect(hooks('configmap')).toBe('pre-install,pre-upgrade,pre-rollback')
  expect(hooks('migrate')).toBe('pre-install,pre-upgrade')
})

it('gives changed settings a new ConfigMap, so that running pods keep reading theirs', () => {
  const named = '{{ include "broadgauge.settingsName" . }}'
  expect(template('configmap')).toContain(`  name: ${named}\n`)
  for (const one of ['serve', 'worker', 'migrate']) expect(template(one)).toContain(`configMapRef: { name: ${named} }`)
})

it('uses one job name in scrape configurations, rules and dashboard', () => {
  const [, job = ''] = /job_name: (.*)/.exec(read('deploy/prometheus/prometheus.yml')) ?? []
  const [, label = ''] = /jobLabel: (.*)/.exec(template('servicemonitor')) ?? []
  expect(read('deploy/helm/broadgauge/templates/_helpers.tpl')).toContain(
    `{{- define "broadgauge.labels" -}}\n${label}: ${job}\n`,
  )
  const sought = ['deploy/prometheus/rules.yml', 'deploy/grafana/broadgauge.json'].flatMap((path) =>
    [...read(path).matchAll(/job=\\?"([^"\\]+)/g)].map(([, name]) => name),
  )
  expect(new Set(sought)).toEqual(new Set([job]))
})

it('scrapes the worker too: in the chart, in Compose and next to serve on one machine', () => {
  const found = /matchLabels:[^]*?(app\.kubernetes\.io\/component: \w+)/.exec(template('servicemonitor'))?.[1] ?? 'none'
  for (const [name, pods] of [
    ['service', 'serve'],
    ['worker', 'worker'],
  ] as const) {
    const services = template(name).split('\n---\n')
    const service = services.find((one) => /^kind: Service$/m.test(one) && one.includes(found)) ?? ''
    expect(service).toContain('{{- include "broadgauge.labels" . | nindent 4 }}')
    expect(service).toMatch(new RegExp(`selector:[^]*component: ${pods}\n`))
    expect(service).toContain('{ name: operations, port: 8082, targetPort: operations }')
  }
  expect(template('worker')).toContain('{ name: operations, containerPort: 8082 }')
  const targets = read('deploy/prometheus/prometheus.yml').match(/127\.0\.0\.1:\d+/g) ?? []
  expect(compose.match(/127\.0\.0\.1:\d+(?=:8082)/g)).toEqual(targets)
  const unit = read('deploy/systemd/broadgauge-worker.service')
  expect(targets[1]).toBe(`127.0.0.1:${/^Environment=BROADGAUGE_OPS_PORT=(\d+)$/m.exec(unit)?.[1]}`)
})

it.each([
  ['broadgauge', 'serve'],
  ['broadgauge-worker', 'worker'],
])('lets the unit %s have its own settings, which override the common ones', (unit, command) => {
  const files = [...read(`deploy/systemd/${unit}.service`).matchAll(/^EnvironmentFile=(.*)$/gm)].map(([, path]) => path)
  expect(files).toEqual(['/etc/broadgauge/env', `-/etc/broadgauge/${command}.env`])
})

it.each(['broadgauge', 'broadgauge-worker'])('lets %s listen on all addresses', (unit) => {
  // To listen on all addresses, Fastify reads the addresses of the machine over netlink. If systemd forbids netlink,
  // Node ends the process.
  const families = /^RestrictAddressFamilies=(.*)$/m.exec(read(`deploy/systemd/${unit}.service`))?.[1]?.split(' ')
  expect(families).toEqual(['AF_INET', 'AF_INET6', 'AF_UNIX', 'AF_NETLINK'])
})

it('gives root-owned volumes of the Compose file to the users that write to them', () => {
  const [, owners = ''] = /^ {2}volume-owners:([^]*?)^ {2}\w/m.exec(compose) ?? []
  const changed = (owners.match(/chown [^;']+/g) ?? []).join(' ')
  const given = [...changed.matchAll(/\/volumes\/([\w-]+)/g)].map(([, name]) => name)
  const kept = [...compose.matchAll(/source: ([\w-]+), .*nocopy: true/g)].map(([, name]) => name)
  expect(kept).toHaveLength(4)
  expect(new Set(given)).toEqual(new Set(kept))
})
