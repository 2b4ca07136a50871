import { randomBytes } from 'node:crypto'
import { stackDown, stackUp } from '../../../devstack/index.ts'
import type { TokenScope } from '../../../src/base/caller.ts'
import { createToken, revokeToken } from '../../../src/engine/postgres/operator/tokens.ts'
import { readSettings } from '../../../src/serve/config.ts'
import { migrate } from '../../../src/serve/tasks/migrate.ts'
import type { Service } from '../../../src/serve/wiring/service.ts'
import { note, panelOf, say, subscribe } from '../../features/filters/values-world.ts'
import { call } from '../../kit/call.ts'
import { storeFacts } from '../../kit/facts.ts'
import { organisation, token } from '../../kit/panels.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { noLimits } from './no-limits.ts'

/**
 * Words that occur in all data of one tenant and nowhere else. The panel `lentx` belongs to alder, and birch may read
 * it. `nemos` does not exist.
 */
export const stems = ['alder', 'birch', 'cedar', 'lentx', 'nemos'] as const
export type Stem = (typeof stems)[number]
export const callers = ['alder', 'birch', 'cedar'] as const
export type TenantName = (typeof callers)[number]
/** The organisation to which the panel belongs. */
export const ownerOf = (stem: Exclude<Stem, 'nemos'>): TenantName => (stem === 'lentx' ? 'alder' : stem)
export const mayRead = (caller: TenantName, whose: Stem): boolean =>
  caller === whose || (whose === 'lentx' && caller !== 'cedar')

/** The names in a tenant's data. They have the same length for all tenants, including the unknown one (`nemos`). */
export type Names = {
  readonly agent: string
  readonly unit: number
  readonly mac: string
  readonly panel: string
  readonly key: string
  readonly value: string
  readonly target: string
  readonly exportId: string
  /** The key of a saved question. */
  readonly question: string
  /** The share link of this question: its number and its path. */
  readonly link: { readonly id: number; readonly path: string }
}

export type TenantWorld = {
  readonly world: World
  readonly service: Service
  readonly names: Readonly<Record<Stem, Names>>
  readonly tokens: Readonly<Record<TenantName, ReadonlyMap<string, TenantToken>>>
  readonly secrets: readonly string[]
  readonly close: () => Promise<void>
}

/** An `Authorization` header, and the scopes of its token. */
export type TenantToken = { readonly header: string | null; readonly scopes: readonly TokenScope[] }

const unknownExport = '00000000-0000-4000-8000-000000000000'
const everyScope: TokenScope[] = ['data:read', 'metadata:read', 'metadata:write', 'ingest:write', 'questions:write']

const unknownLink = { id: 999_999, path: '/s/bgq_nothing' }

const namesOf = (stem: Stem, exportId: string, link = unknownLink): Names => {
  const digit = stems.indexOf(stem) + 1
  return {
    agent: `qz-${stem}-box`,
    unit: 71_000_000 + digit,
    mac: `027A5C00000${digit}`,
    panel: `qz-${stem}-panel`,
    key: `qz_${stem}_key`,
    value: `qz-${stem}-value`,
    target: `qz-${stem}-target`,
    exportId,
    question: `qz-${stem}-question`,
    link,
  }
}

/** The row policies, which are the second check, exist in the development ClickHouse only for this database. */
export const database = 'broadgauge'

export async function openTenantWorld(): Promise<TenantWorld> {
  const name = `tenants-${randomBytes(3).toString('hex')}`
  const world = await openWorld({ stack: await stackUp({ name }) })
  world.environment['BROADGAUGE_CLICKHOUSE_DATABASE'] = database
  await migrate(readSettings(world.environment))
  const planted = await plantTenants(world)
  const close = async () => {
    try {
      await world.close()
    } finally {
      await stackDown({ name, wipe: true })
    }
  }
  return { ...planted, close }
}

/** Stores the data of all tenants in a world, and starts a service. */
export async function plantTenants(
  world: World,
  settings: Readonly<Record<string, string>> = {},
): Promise<Omit<TenantWorld, 'close'>> {
  for (const caller of callers) await organisation(world, caller)
  const bare = (stem: Stem) => namesOf(stem, unknownExport)
  for (const [stem, owner] of [...callers.map((one) => [one, one] as const), ['lentx', 'alder'] as const]) {
    const { agent, unit, mac, panel, key, value, target } = bare(stem)
    const given = { agent_id: agent, unit_id: String(unit), mac_address: mac, base: `qz-${stem}-model` }
    await panelOf(world, panel, owner, [given])
    await say(world, panel, [{ agent_id: agent, from_day: '2025-01-01', custom: { [key]: value } }])
    const rows = Array.from({ length: 5 }, (_, hour) => ({
      agent,
      dtime: `2026-01-05 0${hour}:00:00.000`,
      target,
      address: `qz-${stem}-address`,
      bytes_sec: 1_000_000,
      // Old enough that the rollup job builds these days.
      ingested_at: '2026-01-30 00:00:00.000',
    }))
    await storeFacts(world, 'httpget', rows)
  }
  await subscribe(world, bare('lentx').panel, 'birch')
  await note(world)
  const service = await world.serve({ ...noLimits, ...settings })
  const tokens = {
    alder: await tokensOf(world, 'alder'),
    birch: await tokensOf(world, 'birch'),
    cedar: await tokensOf(world, 'cedar'),
  }
  const names = {
    alder: bare('alder'),
    birch: bare('birch'),
    cedar: bare('cedar'),
    lentx: bare('lentx'),
    nemos: bare('nemos'),
  }
  for (const stem of stems) {
    if (stem === 'nemos') continue
    const owner = ownerOf(stem)
    const header = tokens[owner].get('everything')?.header ?? ''
    const link = await saveQuestion(service, header, bare(stem))
    names[stem] = namesOf(stem, await exportFor(service, header, bare(stem).panel), link)
  }
  const secrets = callers.flatMap((one) => [...tokens[one].values()].map(({ header }) => header ?? ''))
  return { world, service, names, tokens, secrets }
}

/** A question about one panel, and its link. The name, description and tag are words of the tenant, too. */
async function saveQuestion(
  { addresses }: Service,
  header: string,
  { question, panel, value }: Names,
): Promise<Names['link']> {
  const body = {
    name: value,
    description: value,
    tags: [value],
    parameters: ['agent', 'target'],
    request: savedRequest(panel),
  }
  const { status } = await call(`${addresses.api}/questions/${question}`, {
    method: 'PUT',
    token: header,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (status !== 200) throw new Error(`the question of ${panel} was refused`)
  const shared = await call(`${addresses.api}/questions/${question}/links`, {
    method: 'POST',
    token: header,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ label: value }),
  })
  return shared.body['data'] as Names['link']
}

export const savedRequest = (panel: string): object => ({
  metric: 'httpget',
  chartType: 'aggregate',
  aggregation: 'total',
  normalised: false,
  prefilter: false,
  splits: ['agent', 'target'],
  time: { from: '2026-01-01 00:00', to: '2026-01-31 23:59' },
  panel,
})

async function exportFor({ addresses }: Service, header: string, panel: string): Promise<string> {
  const { body } = await call(`${addresses.api}/test_data.csv`, {
    method: 'POST',
    token: header,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ test: 'httpget', date: { from: '2026', to: '2026' }, panel }),
  })
  return (body['data'] as { id: string }).id
}

/** A token in every state, by the name of the state. */
async function tokensOf(world: World, who: TenantName): Promise<ReadonlyMap<string, TenantToken>> {
  const bearer = async (scopes: TokenScope[], expiresAt: Temporal.Instant | null = null) =>
    `Bearer ${await token(world, who, scopes, expiresAt)}`
  const revoked = await world.operate(async (operator) => {
    const made = { organisation: who, label: `qz-${who}-label`, scopes: everyScope, expiresAt: null }
    const created = await createToken(operator, made)
    await revokeToken(operator, created.id)
    return created.token
  })
  const good = await bearer(everyScope)
  const past = Temporal.Now.instant().subtract({ seconds: 1 })
  const denied = (header: string | null): TenantToken => ({ header, scopes: [] })
  return new Map<string, TenantToken>([
    ['everything', { header: good, scopes: everyScope }],
    ['data:read', { header: await bearer(['data:read']), scopes: ['data:read'] }],
    ['metadata:read', { header: await bearer(['metadata:read']), scopes: ['metadata:read'] }],
    ['metadata:write', { header: await bearer(['metadata:write']), scopes: ['metadata:write'] }],
    ['ingest:write', { header: await bearer(['ingest:write']), scopes: ['ingest:write'] }],
    ['questions:write', { header: await bearer(['questions:write']), scopes: ['questions:write'] }],
    ['revoked', denied(`Bearer ${revoked}`)],
    ['expired', denied(await bearer(everyScope, past))],
    ['altered', denied(`${good.slice(0, -1)}${good.endsWith('0') ? '1' : '0'}`)],
    ['nonsense', denied('Bearer nonsense')],
    ['none', denied(null)],
  ])
}
