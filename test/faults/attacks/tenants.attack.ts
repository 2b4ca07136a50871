import { afterAll, beforeAll, expect, it } from 'vitest'
import { runSql } from '../../kit/run-sql.ts'
import { answerFaults, documented } from '../../http/openapi/document.ts'
import { pause } from '../attempt.ts'
import { newSeed, rollDice, type Dice } from '../dice.ts'
import { canariesIn, spellings } from './canaries.ts'
import { exchange, type Exchanged } from './exchange.ts'
import { parsedJson } from './parsed-json.ts'
import { openTally, sized } from './tally.ts'
import { tenantRequests, type TenantRequest } from './tenant-requests.ts'
import { buildTenantRollups, rolledFor, rolledIn } from './tenant-rollups.ts'
import { callers, database, mayRead, openTenantWorld, stems } from './tenant-world.ts'
import type { Names, Stem, TenantName, TenantToken, TenantWorld } from './tenant-world.ts'
import { isCounted, untilCounted } from './until-counted.ts'
import { logLines, lookForZeros, secretIn } from './zeros.ts'

/**
 * The minimum number of responses that count. The attack always tries the whole matrix, even if the matrix has more
 * requests.
 */
const wanted = sized(1, 150_000)
const atOnce = 8
const seed = newSeed()
const tally = openTally('tenants and canaries', seed)
let tenants: TenantWorld
let hasSecret: (said: string) => boolean

beforeAll(async () => {
  tenants = await openTenantWorld()
  await buildTenantRollups(tenants)
  hasSecret = secretIn(tenants.world.environment, tenants.secrets)
  // Errors list the custom fields of the caller. So the field that the attack sets must exist before its first request.
  const changes = everyTry().filter(setsOwnField)
  expect(new Set(changes.map(({ caller }) => caller))).toEqual(new Set(callers))
  for (const one of changes) expect((await send(one))?.status).toBe(200)
}, 120_000)
afterAll(() => tenants.close(), 60_000)

type Try = { caller: TenantName; state: string; token: TenantToken; whose: Stem; request: TenantRequest }

function everyTry(): Try[] {
  return callers.flatMap((caller) =>
    [...tenants.tokens[caller]].flatMap(([state, token]) =>
      stems.flatMap((whose) =>
        tenantRequests(caller, tenants.names[whose], mayRead(caller, whose)).map((request) => ({
          caller,
          state,
          token,
          whose,
          request,
        })),
      ),
    ),
  )
}

const setsOwnField = ({ caller, state, whose, request }: Try): boolean =>
  request.operation === 'PUT /metadata' && request.what === 'agent_id' && whose === caller && state === 'everything'

const send = ({ token, request: { operation, path, body } }: Try): Promise<Exchanged | null> =>
  exchange(operation.includes('ingest') ? tenants.service.addresses.ingest : tenants.service.addresses.api, path, {
    method: operation.split(' ')[0] ?? 'GET',
    headers: {
      accept: 'application/json',
      ...(token.header === null ? {} : { authorization: token.header }),
      ...(body === undefined
        ? {}
        : { 'content-type': operation.includes('ingest') ? 'application/x-ndjson' : 'application/json' }),
    },
    body: body === undefined ? null : Buffer.from(body),
  })

/** The names of hidden tenants in a response to the caller. Names that the caller has sent do not count. */
function canaries(caller: TenantName, text: string, sent: string): string[] {
  const hidden = stems.filter((stem) => !mayRead(caller, stem) && stem !== 'nemos')
  return canariesIn(tenants.names, hidden, text, sent)
}

const said = ({ caller, state, whose, request: { operation, what } }: Try, answer: Exchanged | null): string =>
  `${caller}, ${state}, ${whose}: ${operation} ${what} → ${answer?.status} ${answer?.text.slice(0, 300)}`

const namesTenant = (one: Try): boolean =>
  spellings(tenants.names[one.whose]).some((name) =>
    `${decodeURIComponent(one.request.path)}${one.request.body ?? ''}`.includes(name),
  )

/** For each request: the responses for names of other tenants and for unknown names. They must be equal. */
const aboutOthers = new Map<string, Map<string, Set<string>>>()

/** Removes from a response what may differ between two tenants: the names and the number of a batch. */
function withoutNames(text: string, names: Names): string {
  // The number of a batch is a hash of its content, which contains the names.
  return spellings(names).reduce((left, one) => left.replaceAll(one, '…'), text.replace(/[0-9a-f]{32}/, '…'))
}

const isDenied = ({ token, request: { scope, alsoNeeds } }: Try): boolean =>
  scope !== null && [scope, alsoNeeds ?? scope].some((needed) => !token.scopes.includes(needed))

/** Sends one request and checks the response. Returns true if the response counts for the attack. */
async function attack(one: Try): Promise<boolean> {
  const answer = await send(one)
  if (answer === null) {
    tally.breach('Z8', 'no answer', said(one, answer))
    return false
  }
  tally.count(String(answer.status))
  await judge(one, answer)
  return isCounted(answer.status)
}

async function judge(one: Try, answer: Exchanged): Promise<void> {
  const { caller, whose, request } = one
  const { operation, scope } = request
  const sent = `${decodeURIComponent(request.path)}${request.body ?? ''}`
  const leaked = canaries(caller, `${JSON.stringify(answer.headers)}${answer.text}`, sent)
  if (leaked.length > 0) tally.breach('Z4', `${operation} ${request.what}: ${leaked[0]}`, said(one, answer))
  if (isDenied(one) !== (answer.status === 403)) tally.breach('Z4', `${operation}: scope ${scope}`, said(one, answer))
  if (answer.status >= 500 && scope !== null) tally.breach('Z3', operation, said(one, answer))
  // Only errors are JSON in every format.
  const isJson = answer.status !== 200 || String(answer.headers['content-type']).startsWith('application/json')
  const faults = isJson ? answerFaults(operation, answer.status, parsedJson(answer.text)) : []
  if (faults.length > 0)
    tally.breach('Z10', `${operation}: ${answer.status} not by the document`, `${faults[0]}, ${said(one, answer)}`)
  if (hasSecret(answer.text)) tally.breach('Z6', `${operation}: a secret`, said(one, answer))
  if (isDenied(one)) return
  judgeRollups(one, answer)
  if (mayRead(caller, whose)) {
    if (answer.text.includes(`qz-${whose}`)) tally.count('own canary seen')
    if (request.makesFile === true && answer.status === 200) await readFile(one, answer)
  } else if (namesTenant(one)) {
    const key = `${caller} ${one.state} ${operation} ${request.what}`
    const seen = aboutOthers.get(key) ?? new Map<string, Set<string>>()
    aboutOthers.set(key, seen)
    const answers = seen.get(whose) ?? new Set()
    seen.set(whose, answers.add(`${answer.status} ${withoutNames(answer.text, tenants.names[whose])}`))
  }
}

/**
 * Checks which tenants' rollups a response contains. If a result count includes another tenant's results, that is a
 * leak, even without a name.
 */
function judgeRollups(one: Try, answer: Exchanged): void {
  const { caller, whose, request } = one
  const found = rolledIn(answer.text)
  const { operation, what, rolled } = request
  for (const stem of found.filter((each) => !mayRead(caller, each)))
    tally.breach('Z4', `${operation} ${what}: rollup of ${stem}`, said(one, answer))
  if (found.length > 0) tally.count('answered from rollups')
  if (rolled === undefined || answer.status !== 200) return
  const isRight = found.join() === rolledFor(caller, whose, rolled).join()
  if (!isRight) tally.count('not answered from rollups')
}

async function readFile(one: Try, answer: Exchanged): Promise<void> {
  const { id, url, status } = (JSON.parse(answer.text) as { data: { id: string; url: string | null; status: string } })
    .data
  if (url === null) {
    await pause(200)
    const request = { ...one.request, operation: 'GET /downloads/{id}', path: `/downloads/${id}`, body: undefined }
    const later = await send({ ...one, request })
    return later?.status === 200 && status !== 'failed'
      ? readFile(one, later)
      : tally.breach('Z5', 'no file', said(one, later))
  }
  const text = await (await fetch(url)).text()
  tally.count('files')
  if (text.includes(`qz-${one.whose}`)) tally.count('own canary seen in a file')
  const leaked = canaries(one.caller, text, '')
  if (leaked.length > 0) tally.breach('Z4', `a file: ${leaked[0]}`, said(one, answer))
}

/** Checks after all attempts that no tenant has changed data of another tenant. */
async function lookForEffects(): Promise<void> {
  const marks = await runSql<{ agent_id: string; mark: string | null }>(
    tenants.world.superuserUrl,
    `SELECT a.agent_id, c.custom ->> 'mark' AS mark FROM agents a JOIN current_metadata c ON c.agent_id = a.id`,
  )
  for (const { agent_id: agent, mark } of marks) {
    const owner = agent.includes('lentx') ? 'alder' : agent.split('-')[1]
    if (mark !== `by-${owner}`) tally.breach('Z4', 'changed by another tenant', `${agent}: ${mark}`)
  }
  const alive = await runSql<{ id: string }>(
    tenants.world.superuserUrl,
    `SELECT id FROM exports WHERE status = 'complete' AND id = ANY($1)`,
    [callers.map((one) => tenants.names[one].exportId)],
  )
  if (alive.length !== callers.length)
    tally.breach('Z4', 'an export was cancelled by another tenant', String(alive.length))
  const kept = await runSql(
    tenants.world.superuserUrl,
    `SELECT FROM questions q JOIN organisations o ON o.id = organisation_id
     WHERE q.version = 1 AND q.key = 'qz-' || o.key || '-question'`,
  )
  if (kept.length !== callers.length)
    tally.breach('Z4', 'a question was changed by another tenant', String(kept.length))
  const links = await runSql(tenants.world.superuserUrl, 'SELECT FROM question_links')
  // One for each tenant, and one for the panel that alder lends.
  if (links.length !== callers.length + 1)
    tally.breach('Z4', 'a link was made or revoked by another tenant', String(links.length))
  const [node] = tenants.world.engine('ADMIN').nodes
  const query = `SELECT DISTINCT panel, target FROM ${database}.ping`
  const ingested = await (
    await node?.query({ query, format: 'JSONEachRow' })
  )?.json<{ panel: number; target: string }>()
  const panels = await runSql<{ id: number; owner: TenantName }>(
    tenants.world.superuserUrl,
    'SELECT p.id, o.key AS owner FROM panels p JOIN organisations o ON o.id = p.owner_id',
  )
  expect(ingested).toHaveLength(callers.length + 1)
  for (const { panel, target } of ingested ?? []) {
    const owner = panels.find(({ id }) => id === panel)?.owner
    if (!target.startsWith(`from-${owner}`)) tally.breach('Z4', 'a result of another tenant', `${owner}: ${target}`)
  }
}

/**
 * The attack tries the request in every n-th round, where n is the returned number. Aggregates, ingest requests and
 * files take much longer than other requests, and other queries take somewhat longer. If every round had all of them,
 * the deep run would take hours.
 */
function cycleOf({ request: { operation, makesFile } }: Try): number {
  if (makesFile === true || [...heavy, 'POST /ingest/{test}'].includes(operation)) return 24
  return ['POST /test_data', 'GET /filters/{id}/values'].includes(operation) ? 6 : 1
}

const heavy = ['POST /metric_data', 'GET /metric_data', 'GET /questions/{key}/data']

const shuffled = (tries: readonly Try[], dice: Dice): Try[] =>
  tries
    .map((one) => ({ one, at: dice.between(0, 1e9) }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ one }) => one)

it(`no tenant sees a byte of others in the matrix and ${wanted} responses`, { timeout: 21_600_000 }, async () => {
  const dice = rollDice(seed)
  const tries = everyTry()
  const opened = tries.filter((one) => one.request.scope !== null && !isDenied(one))
  expect(new Set(tries.map(({ request }) => request.operation))).toEqual(new Set(documented.keys()))
  let round = 0
  // Try the whole matrix first. After that, try only requests of admitted callers.
  const next = (made: number, missing: number): Try[] => {
    round += 1
    if (made === 0) return shuffled(tries, dice)
    const chosen = opened.filter((one) => round % cycleOf(one) === 0)
    return shuffled(chosen, dice).slice(0, missing)
  }
  const counted = await untilCounted({ wanted, atOnce, next, attack })
  for (const [request, answers] of aboutOthers) {
    const unknown = [...(answers.get('nemos') ?? [])].join(' or ')
    for (const [whose, all] of answers) {
      const answer = [...all].join(' or ')
      if (all.size !== 1 || answer !== unknown)
        tally.breach('Z4', `${request}: not as for an unknown thing`, `${whose}: ${answer} against ${unknown}`)
    }
  }
  await lookForEffects()
  for (const line of logLines(tenants.world.observations)) {
    if (/qz.?(alder|birch|cedar|lentx)|\b7100000\d\b|027A5C/i.test(line))
      tally.breach('Z4', 'in the log', line.slice(0, 300))
  }
  lookForZeros(tally, tenants.world, tenants.secrets, (route) => route === '/response-internal-server-error')
  tally.report(counted)
  expect(tally.sorts(), `seed ${seed}`).toEqual([])
  expect(counted).toBeGreaterThanOrEqual(wanted)
  expect(tally.counted('own canary seen')).toBeGreaterThan(200)
  expect(tally.counted('answered from rollups')).toBeGreaterThan(300)
  expect(tally.counted('not answered from rollups')).toBe(0)
  expect(tally.counted('own canary seen in a file')).toBeGreaterThan(0)
})
