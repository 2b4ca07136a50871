import { afterAll, beforeAll, expect, it } from 'vitest'
import { sessionToken } from '../../../src/base/token.ts'
import { consoleDocument } from '../../../src/http/console-api/document.ts'
import { runSql } from '../../kit/run-sql.ts'
import { documentChecks } from '../../http/openapi/document-checks.ts'
import { newSeed, rollDice, type Dice } from '../dice.ts'
import { canariesIn } from './canaries.ts'
import { tryDoors } from './console-doors.ts'
import { forgetAttempts, lookForEffects, readStanding } from './console-effects.ts'
import { liveThrough } from './console-lives.ts'
import * as requests from './console-requests.ts'
import type { ConsoleRequest, Page } from './console-requests.ts'
import { friend, openConsoleWorld, type ConsoleWorld, type Cookie } from './console-world.ts'
import { exchange, type Exchanged } from './exchange.ts'
import { openTally, sized } from './tally.ts'
import { callers, mayRead, ownerOf, stems, type Stem, type TenantName, type TenantToken } from './tenant-world.ts'
import { isCounted } from './until-counted.ts'
import { logLines, lookForZeros } from './zeros.ts'

/** The number of rounds. In each round, the attack makes every attempt once. */
const rounds = sized(1, 20)
const atOnce = 8
const seed = newSeed()
const tally = openTally('tenants in the console', seed)
const { documented, answerFaults } = documentChecks(consoleDocument({ url: '.' }))
let tenants: ConsoleWorld

beforeAll(async () => {
  tenants = await openConsoleWorld()
}, 120_000)
afterAll(() => tenants.close(), 60_000)

type Try = {
  /** The tenant to whom the checked credential belongs. */
  readonly caller: TenantName
  readonly as: string
  readonly cookie: Cookie
  readonly token: TenantToken
  readonly page: Page
  readonly whose: Stem
  readonly request: ConsoleRequest
}

const noCookie: Cookie = { header: null, secret: null, role: null }
const noToken: TenantToken = { header: null, scopes: [] }
const cookieOf = (who: TenantName, state: string): Cookie => tenants.cookies[who].get(state) ?? noCookie
const tokenOf = (who: TenantName, state: string): TenantToken => tenants.tokens[who].get(state) ?? noToken
/** True if the service refuses the caller, and not the content of the request. */
const isCallerRefused = (one: Try): boolean => isRefused(one) && !hasGuessed(one)
const isRefused = ({ cookie, token, page, request }: Try): boolean =>
  !requests.isAdmitted(request, { role: cookie.role, scopes: token.scopes, page })

function everyTry(): Try[] {
  return callers.flatMap((caller) => {
    const other = callers[(callers.indexOf(caller) + 1) % callers.length] ?? 'alder'
    return [...byCookie(caller, other), ...byToken(caller, other), ...fromElsewhere(caller)].filter(
      (one) => one.request.ends !== true || isRefused(one),
    )
  })
}

/**
 * Returns the attempts in random order. If the service refuses the caller, the response is the same for every name, so
 * only one of these attempts is made.
 */
function inTurn(tries: readonly Try[], dice: Dice): Try[] {
  const order = tries.map((one) => ({ one, at: dice.between(0, 1e9) })).toSorted((a, b) => a.at - b.at)
  const asked = new Set<string>()
  return order.flatMap(({ one }) => {
    if (!isCallerRefused(one)) return one
    const key = `${one.caller}, ${one.as}: ${one.request.operation} ${isOwn(one)}`
    const isAgain = asked.has(key)
    asked.add(key)
    return isAgain ? [] : one
  })
}

/** Attempts with a cookie in every state. Each request also has a token, which must make no difference. */
function byCookie(caller: TenantName, other: TenantName): Try[] {
  const mine = tenants.belongings[caller]
  const extras = {
    none: noToken,
    'own token': tokenOf(caller, 'everything'),
    'their token': tokenOf(other, 'everything'),
  }
  const named = ([...callers, 'nemos'] as const).flatMap((whose) => {
    const all = requests.namedRequests(caller, tenants.belongings[whose], mine, whose === caller)
    return all.map((request) => ({ whose, request }))
  })
  const all = [...requests.sessionRequests(caller).map((request) => ({ whose: caller as Stem, request })), ...named]
  return [...tenants.cookies[caller]].flatMap(([state, cookie]) =>
    Object.entries(extras).flatMap(([extra, token]) =>
      all
        .filter(({ request: { opens, guesses, what } }) => {
          const needsNoIdentity = ['page', 'visit', 'nothing'].includes(opens)
          if (needsNoIdentity && !['administrator', 'none'].includes(state)) return false
          if (guesses === true && extra !== 'none') return false
          return (cookie.role === 'administrator' && extra === 'none') || !/spelt [1-9]/.test(what)
        })
        .map((one) => ({ ...one, caller, as: `${state}, ${extra}`, cookie, token, page: requests.ownPage })),
    ),
  )
}

/** Attempts with a token in every state. Each request also has a cookie, which must make no difference. */
function byToken(caller: TenantName, other: TenantName): Try[] {
  const theirs = { none: noCookie, theirs: cookieOf(other, 'administrator') }
  const own = { own: cookieOf(caller, 'administrator') }
  return [...tenants.tokens[caller]].flatMap(([state, token]) =>
    Object.entries(token.scopes.length === 0 ? { ...theirs, ...own } : theirs).flatMap(([extra, cookie]) =>
      stems.flatMap((whose) => {
        const all = requests.tokenRequests(tenants.names[whose], whose !== 'nemos' && ownerOf(whose) === caller)
        return all.map((request) => ({
          caller,
          as: `${state}, ${extra} cookie`,
          cookie,
          token,
          page: requests.ownPage,
          whose,
          request,
        }))
      }),
    ),
  )
}

/** Attempts from pages of other sites, with a valid cookie. */
const fromElsewhere = (caller: TenantName): Try[] =>
  [...requests.otherPages].flatMap(([where, page]) =>
    ['administrator', 'analyst'].flatMap((state) =>
      requests.forgedRequests(caller, tenants.belongings[caller]).map((request) => ({
        caller,
        as: `${state}, ${where}`,
        cookie: cookieOf(caller, state),
        token: noToken,
        page,
        whose: caller,
        request,
      })),
    ),
  )

function send({ cookie, token, page, request }: Try): Promise<Exchanged | null> {
  const { 'content-type': type, ...headers } = page.headers
  return exchange(tenants.base, `/console/api${request.path}`, {
    method: requests.methodOf(request),
    headers: {
      accept: 'application/json',
      ...headers,
      ...(request.body === undefined || type === undefined ? {} : { 'content-type': type }),
      ...(cookie.header === null ? {} : { cookie: cookie.header }),
      ...(token.header === null ? {} : { authorization: token.header }),
    },
    body: request.body === undefined ? null : Buffer.from(request.body),
  })
}

const said = ({ caller, as, whose, request: { operation, what } }: Try, answer: Exchanged | null): string =>
  `${caller}, ${as}, ${whose}: ${operation} ${what} → ${answer?.status} ${answer?.text.slice(0, 300)}`

/** For each request: the responses for names of other tenants and for unknown names. They must be equal. */
const aboutOthers = new Map<string, Map<Stem, string>>()
/** The ids of tokens in responses, each with the caller that received it. */
const listed: { readonly id: number; readonly caller: TenantName }[] = []
/** How many responses the service has sent to admitted callers. */
let counted = 0

async function judge(one: Try): Promise<void> {
  const { caller, as, whose, request } = one
  if (request.guesses === true) await forgetAttempts(tenants.world)
  const answer = await send(one)
  if (answer === null) return tally.breach('Z8', 'no answer', said(one, answer))
  const { status, text } = answer
  const { operation } = request
  tally.count(String(status))
  if (isCounted(status)) counted += 1
  const breach = (zero: 'Z3' | 'Z4' | 'Z6' | 'Z10', sort: string) =>
    tally.breach(zero, `${operation} ${request.what}: ${sort}`, said(one, answer))
  if (status >= 500) breach('Z3', String(status))
  const faults = status === 302 ? [] : answerFaults(operation, status, JSON.parse(text))
  if (faults.length > 0) breach('Z10', String(faults[0]))
  for (const leaked of findLeaks(one, answer)) breach('Z4', leaked)
  for (const secret of findSecrets(one, answer)) breach('Z6', secret)
  if (isRefused(one)) {
    if (status !== 403) breach('Z4', 'admitted')
    else if (text !== (hasGuessed(one) ? wrongGuess : accessDenied)) breach('Z4', 'says why not')
  } else if (status === 403) breach('Z4', 'not admitted')
  else judgeContent(one, answer, (what) => breach('Z4', what))
  if (isCallerRefused(one) || request.about !== true || (isOwn(one) && whose !== 'nemos')) return
  const key = `${caller}, ${as}: ${operation} ${request.what}`
  aboutOthers.set(key, (aboutOthers.get(key) ?? new Map<Stem, string>()).set(whose, `${status} ${text}`))
}

const accessDenied = '{"code":"ACCESS_DENIED","message":"Access Denied"}'
const wrongGuess = '{"code":"ACCESS_DENIED","message":"The name or the password is wrong."}'
const hasGuessed = ({ page, request }: Try): boolean => request.opens === 'nothing' && page.changes

/**
 * True if the caller may see data of this tenant. Panels and their agents are also visible to tenants with whom they
 * are shared.
 */
const maySee = ({ caller, request: { operation } }: Pick<Try, 'caller' | 'request'>, stem: Stem): boolean => {
  if (stem === 'nemos') return true
  return ['GET /panels', 'GET /agents', 'PUT /questions/{key}'].includes(operation)
    ? mayRead(caller, stem)
    : ownerOf(stem) === caller
}
const isOwn = (one: Try): boolean => maySee(one, one.whose)

/**
 * Returns everything of other tenants in a response. Names that the caller has sent are reported too, because no
 * response of the console repeats them.
 */
function findLeaks(one: Try, { headers, text }: Exchanged): string[] {
  const hidden = stems.filter((stem) => !maySee(one, stem))
  const words = callers.filter((caller) => caller !== one.caller && text.includes(caller))
  const allowed = Object.entries(headers).filter(
    ([name, value]) =>
      name === 'access-control-allow-credentials' || (name.startsWith('access-control-allow') && value !== friend),
  )
  return [
    ...canariesIn(tenants.names, hidden, `${JSON.stringify(headers)}${text}`, ''),
    ...words,
    ...allowed.map(([name, value]) => `${name}: ${value}`),
  ]
}

function findSecrets({ cookie, request: { operation } }: Try, { status, headers, text }: Exchanged): string[] {
  const setCookies = (headers['set-cookie'] ?? []).filter((one) => !one.startsWith('broadgauge-sign-in='))
  const isShown = operation === 'POST /session/token' && cookie.secret !== null
  const rest = isShown ? text.replace(sessionToken(cookie.secret), '') : text
  const isMade = operation === 'POST /tokens' && status === 200
  const whole = `${rest}${JSON.stringify(headers)}`
  const found = [...tenants.secrets].filter((secret) => whole.includes(secret))
  return [
    ...setCookies.map(() => 'a cookie that was not asked for'),
    ...found.map(() => 'a secret in an answer'),
    ...(!isMade && /bg_[0-9A-Za-z]{36}|\$argon2/.test(rest) ? ['a token or a hash in an answer'] : []),
  ]
}

type Listed = { id: number; key: string; owned: boolean }

function judgeContent(
  { caller, cookie, request }: Try,
  { status, text }: Exchanged,
  breach: (what: string) => void,
): void {
  const { operation, what } = request
  if (text.includes(`qz-${caller}`)) tally.count('own canary seen')
  if (operation === 'DELETE /tokens/{id}' && status !== 404) breach('revoked')
  if (status !== 200) return
  const { data } = JSON.parse(text) as { data: unknown }
  if (operation === 'POST /tokens') {
    tally.count('tokens made')
    tenants.secrets.add((data as { token: string }).token)
  } else if (operation === 'GET /tokens') {
    listed.push(...(data as Listed[]).map(({ id }) => ({ id, caller })))
  } else if (operation === 'GET /session') {
    const { name, role, organisation } = data as { name: string; role: string; organisation: { key: string } }
    if (organisation.key !== caller || role !== cookie.role || !name.startsWith(`qz-${caller}-`))
      breach('another person')
  } else if (operation === 'POST /session/token') {
    if ((data as { token: string }).token !== sessionToken(cookie.secret ?? '')) breach('the token of another session')
  } else if (operation === 'GET /panels') {
    const owned = (data as Listed[]).filter((one) => one.owned).map(({ key }) => key)
    const expected = stems.filter((stem) => stem !== 'nemos' && ownerOf(stem) === caller)
    if (owned.join() !== expected.map((stem) => `qz-${stem}-panel`).join()) breach('panels that are not one’s own')
  } else if (operation === 'GET /agents' && what.startsWith('the first')) {
    if ((data as unknown[]).length !== 1) breach('one’s own is hidden behind others')
  }
}

/**
 * The response to a preflight must not allow a page of an allowed origin to send the console's header, or to read a
 * response with the user's cookie.
 */
async function lookAtPreflights(): Promise<void> {
  for (const operation of documented.keys()) {
    const [method = '', path = ''] = operation.split(' ')
    for (const origin of [friend, 'https://elsewhere.example']) {
      const asked = {
        'access-control-request-method': method,
        'access-control-request-headers': 'x-broadgauge-console',
      }
      const exchanged = { method: 'OPTIONS', headers: { origin, ...asked }, body: null }
      const answer = await exchange(tenants.base, `/console/api${path.replaceAll(/\{\w+\}/g, '1')}`, exchanged)
      const allowed = JSON.stringify(Object.entries(answer?.headers ?? {}).filter(([name]) => /allow/.test(name)))
      const isRight = origin === friend ? answer?.status === 204 : answer?.status === 405 && !allowed.includes('origin')
      if (!isRight || /credentials|x-broadgauge-console/i.test(allowed))
        tally.breach('Z4', 'a preflight', `${operation} from ${origin}: ${answer?.status} ${allowed}`)
    }
  }
}

async function lookAtLists(): Promise<void> {
  const owners = new Map(
    (
      await runSql<{ id: number; owner: TenantName; ofSession: boolean }>(
        tenants.world.superuserUrl,
        `SELECT t.id, o.key AS owner, of_session AS "ofSession" FROM tokens t JOIN organisations o ON o.id = organisation_id`,
      )
    ).map((one) => [one.id, one]),
  )
  for (const { id, caller } of listed) {
    const token = owners.get(id)
    if (token?.owner !== caller || token.ofSession) tally.breach('Z4', 'a token is listed', `${caller}: ${id}`)
  }
  for (const caller of callers) {
    const ids = new Set(listed.filter((one) => one.caller === caller).map(({ id }) => id))
    const { standing, made, revoked } = tenants.belongings[caller].tokenIds
    const missing = [standing, made, revoked].filter((id) => !ids.has(id))
    if (missing.length > 0) tally.breach('Z4', 'one’s own token is not listed', `${caller}: ${missing.join()}`)
  }
}

function lookAtOthers(): void {
  for (const [request, answers] of aboutOthers) {
    const unknown = answers.get('nemos')
    for (const [whose, answer] of answers) {
      if (answer !== unknown)
        tally.breach('Z4', `${request}: not as for an unknown thing`, `${whose}: ${answer} against ${unknown}`)
    }
  }
}

it(`no tenant sees or changes anything of others in ${rounds} whole matrices`, { timeout: 3_600_000 }, async () => {
  const dice = rollDice(seed)
  const tries = everyTry()
  expect(new Set(tries.map(({ request }) => request.operation))).toEqual(new Set(documented.keys()))
  const before = await readStanding(tenants.world)
  for (let round = 0; round < rounds; round += 1) {
    const queue = inTurn(tries, dice).values()
    const worker = async () => {
      for (const one of queue) await judge(one)
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
    try {
      for (const caller of callers) await liveThrough(tenants, tally, caller, round)
      await tryDoors(tenants, tally)
    } catch (error) {
      // These steps also fail if an attempt has ended sessions or tokens that they need. Catch the error, so that the
      // test still reports the earlier findings.
      tally.breach('Z4', 'people cannot go on', String(error))
    }
  }
  lookAtOthers()
  await lookAtPreflights()
  await lookAtLists()
  await lookForEffects(tenants.world, tally, before)
  for (const line of logLines(tenants.world.observations)) {
    if (/qz.?(alder|birch|cedar|lentx)|\b7100000\d\b|027A5C/i.test(line))
      tally.breach('Z4', 'in the log', line.slice(0, 300))
    if (/bg_[0-9A-Za-z]{36}|\$argon2/.test(line)) tally.breach('Z6', 'in the log', line.slice(0, 300))
  }
  lookForZeros(tally, tenants.world, [...tenants.secrets])
  tally.report(counted)
  expect(tally.sorts(), `seed ${seed}`).toEqual([])
  expect(tally.counted('own canary seen')).toBeGreaterThan(rounds * 100)
  expect(tally.counted('tokens made')).toBeGreaterThan(rounds * 10)
})
