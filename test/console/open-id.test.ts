import { randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { Provider } from 'oidc-provider'
import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { buildConsole } from '../../console/build.ts'
import { createUser } from '../../src/engine/postgres/operator/users.ts'
import { freePort } from '../kit/free-port.ts'
import { organisation, panel } from '../kit/panels.ts'
import { runSql } from '../kit/run-sql.ts'
import { openWorld, type World } from '../kit/world.ts'
import { ask } from '../features/people/people-world.ts'
import { signInByName } from './console-world.ts'
import { seriousFindings } from './serious-findings.ts'

vi.setConfig({ testTimeout: 60_000 })

let world: World
let api: string
/** The address of an instance that uses the claim `email` as the user's name. */
let byMail: string
let byMailUnsaid: string
let provider: Server
let browser: Browser
let password: string
const file = join(tmpdir(), `sign-in-${randomBytes(6).toString('hex')}.json`)

beforeAll(async () => {
  await buildConsole()
  world = await openWorld()
  for (const key of ['acme', 'other']) await organisation(world, key)
  await panel(world, 'homes', 'acme', ['whitebox'])
  const make = (organisationKey: string, name: string, way: string | null) =>
    world.operate((operator) =>
      createUser(operator, { organisation: organisationKey, name, role: 'analyst', provider: way }),
    )
  await make('acme', 'ada', 'acme')
  password = (await make('acme', 'by-password', null)).password
  await make('other', 'stranger', 'acme')
  await make('acme', 'mail@acme.example', 'acme')
  const port = await freePort()
  // The browser treats `localhost` as another site than the service's address 127.0.0.1.
  const issuer = `http://localhost:${port}`
  api = (await serveWith(issuer)).addresses.api
  byMail = (await serveWith(issuer, { claim: 'email' })).addresses.api
  const unsaid = { claim: 'email', allow_missing_email_verified: true }
  byMailUnsaid = (await serveWith(issuer, unsaid)).addresses.api
  const oidc = new Provider(issuer, {
    clients: [
      {
        client_id: 'console',
        client_secret: 's3cret',
        token_endpoint_auth_method: 'client_secret_post',
        redirect_uris: [api, byMail, byMailUnsaid].map((at) => `${at}/console/api/sign-in/acme/callback`),
      },
    ],
    findAccount: (_context, sub) => ({
      accountId: sub,
      claims: () => ({ sub, email: 'Mail@acme.example', ...proofs.get(sub) }),
    }),
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,
    cookies: { keys: [randomBytes(16).toString('hex')] },
  })
  provider = oidc.listen(port, '127.0.0.1')
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
}, 120_000)

afterAll(async () => {
  await browser.close()
  provider.close()
  await world.close()
  rmSync(file)
})

/** The provider's claims about the email address, by login name. */
const proofs = new Map<string, object>([
  ['proved', { email_verified: true }],
  ['unproved', { email_verified: false }],
  ['in words', { email_verified: 'true' }],
])

/**
 * Starts an instance with one provider. The instance reads the file of providers only when it starts, so the next call
 * can overwrite the file.
 */
function serveWith(issuer: string, more: object = {}) {
  const acme = { key: 'acme', title: 'Acme', organisation: 'acme', client_id: 'console', client_secret: 's3cret' }
  writeFileSync(file, JSON.stringify([{ ...acme, issuer, ...more }]))
  return world.serve({ BROADGAUGE_SIGN_IN_FILE: file })
}

/** Signs in through the provider's own pages, as a person would. */
async function signInAs(name: string, at = api): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  page.setDefaultTimeout(20_000)
  await page.goto(`${at}/console/`)
  await page.getByRole('link', { name: 'Sign in with Acme' }).click()
  await proveToBe(page, name)
  return page
}

async function proveToBe(page: Page, name: string): Promise<void> {
  await page.locator('input[name=login]').fill(name)
  await page.locator('input[name=password]').fill('whatever it takes')
  await page.locator('button[type=submit]').click()
  await page.getByRole('button', { name: 'Continue' }).click()
}

const secretOf = async (page: Page): Promise<string | undefined> =>
  (await page.context().cookies(api)).find(({ name }) => name === 'broadgauge')?.value

it('signs people in whom the provider of their organisation authenticates', async () => {
  const page = await signInAs('ada')
  await page.locator('.who', { hasText: 'ada' }).waitFor()
  expect(page.url()).toMatch(/\/console\/(#.*)?$/)
  const cookies = await page.context().cookies(api)
  expect(cookies.find(({ name }) => name === 'broadgauge')).toMatchObject({ httpOnly: true, sameSite: 'Strict' })
  expect(cookies.find(({ name }) => name === 'broadgauge-sign-in')).toBeUndefined()
  await page.context().close()
})

it('shows people who sign in through a provider its name, and no form for a password they do not have', async () => {
  const page = await signInAs('ada')
  await page.locator('.who', { hasText: 'ada' }).waitFor()
  await page.goto(`${api}/console/#/account`)
  const answered = page.waitForResponse((response) => response.url().endsWith('/console/api/session'))
  await page.reload()
  const { data } = (await (await answered).json()) as { data: unknown }
  expect(data).toMatchObject({ name: 'ada', has_password: false, provider: { key: 'acme', title: 'Acme' } })
  await page.getByText('You sign in with Acme and have no password here').waitFor()
  expect(await page.locator('input[type=password]').count()).toBe(0)
  expect(await seriousFindings(page)).toEqual([])
  // A user with a password sees the form for changing it.
  const other = await (await browser.newContext()).newPage()
  other.setDefaultTimeout(20_000)
  await other.goto(`${api}/console/#/account`)
  await signInByName(other, 'by-password', password)
  await other.getByLabel('Current password').waitFor()
  expect(await other.getByText('have no password here').count()).toBe(0)
  for (const one of [page, other]) await one.context().close()
})

it('shows a provider that the operator has removed by its key', async () => {
  const { addresses } = await world.serve()
  const page = await signInAs('ada')
  await page.locator('.who', { hasText: 'ada' }).waitFor()
  const { body } = await ask(addresses.api, '/session', { cookie: `broadgauge=${await secretOf(page)}` })
  expect(body['data']).toMatchObject({ has_password: false, provider: { key: 'acme', title: 'acme' } })
  await page.context().close()
})

it.each(['nobody', 'by-password', 'stranger', 'ADA'])(
  'does not sign %s in, for whom the provider is not registered',
  async (name) => {
    const page = await signInAs(name)
    await page.getByText('That sign-in does not let you in here.').waitFor()
    const cookies = await page.context().cookies(api)
    expect(cookies.find((one) => one.name === 'broadgauge')).toBeUndefined()
    await page.context().close()
  },
)

it("ends the browser's previous session, also if the redirect from another site does not send its cookie", async () => {
  const page = await (await browser.newContext()).newPage()
  page.setDefaultTimeout(20_000)
  await page.goto(`${api}/console/#/account`)
  await signInByName(page, 'by-password', password)
  await page.locator('.who', { hasText: 'by-password' }).waitFor()
  const former = await secretOf(page)
  const status = async (secret?: string) => (await ask(api, '/session', { cookie: `broadgauge=${secret}` })).status
  await page.goto(`${api}/console/api/sign-in/acme`)
  await page.locator('input[name=login]').waitFor()
  expect(await status(former)).toBe(200)
  const back = page.waitForRequest((request) => request.url().includes('/callback'))
  await proveToBe(page, 'ada')
  expect((await (await back).allHeaders())['cookie']).not.toContain(former)
  await page.locator('.who', { hasText: 'ada' }).waitFor()
  expect([await status(former), await status(await secretOf(page))]).toEqual([403, 200])
  await page.context().close()
})

it.each([
  ['proved', () => byMail, true],
  ['unproved', () => byMail, false],
  ['unsaid', () => byMail, false],
  ['in words', () => byMail, false],
  ['unsaid', () => byMailUnsaid, true],
  ['unproved', () => byMailUnsaid, false],
  ['in words', () => byMailUnsaid, false],
] as const)(
  'accepts an email address only if it is verified, or if the provider never says so: %s',
  async (name, at, isIn) => {
    const page = await signInAs(name, at())
    await (isIn ? page.locator('.who', { hasText: 'mail@' }) : page.getByText('does not let you in here.')).waitFor()
    expect((await secretOf(page)) !== undefined).toBe(isIn)
    await page.context().close()
  },
)

it('accepts no state that the service did not create, and none twice', async () => {
  const back = (query: string, cookie = '') =>
    fetch(`${api}/console/api/sign-in/acme/callback?${query}`, { redirect: 'manual', headers: { cookie } })
  const sent = await fetch(`${api}/console/api/sign-in/acme`, { redirect: 'manual' })
  const memory = (sent.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  const { searchParams } = new URL(sent.headers.get('location') ?? '')
  expect(Object.fromEntries(searchParams)).toMatchObject({ response_type: 'code', code_challenge_method: 'S256' })
  const state = searchParams.get('state') ?? ''
  for (const [query, cookie] of [
    [`code=x&state=${state}`, ''],
    [`code=x&state=${state}`, memory],
    ['code=x&state=other', memory],
    [`error=access_denied&state=${state}`, memory],
    ['', memory],
  ] as const) {
    const answer = await back(query, cookie)
    expect([query, answer.status, answer.headers.get('location')]).toEqual([
      query,
      302,
      '../../../#/explore?refused=acme',
    ])
    expect(answer.headers.getSetCookie().filter((one) => one.startsWith('broadgauge='))).toEqual([])
  }
  expect((await fetch(`${api}/console/api/sign-in/nothing`)).status).toBe(404)
})

it('accepts a return only through the provider that the person was sent to', async () => {
  // This provider is unavailable. If the service contacted it, the page would show an error.
  const { addresses } = await serveWith(`http://127.0.0.1:${await freePort()}`)
  const back = async (memory: string) => {
    const cookie = `broadgauge-sign-in=${memory}`
    const returned = `${addresses.api}/console/api/sign-in/acme/callback?code=x&state=state`
    const { headers } = await fetch(returned, { redirect: 'manual', headers: { cookie } })
    return headers.get('location')
  }
  const left = await fetch(`${api}/console/api/sign-in/acme`, { redirect: 'manual' })
  expect(left.headers.get('set-cookie')).toMatch(/^broadgauge-sign-in=acme\.[\w.-]+; /)
  expect(await back('acme.verifier.state.nonce')).toBe('../../../#/explore?unavailable=acme')
  for (const memory of ['other.verifier.state.nonce', 'acm.verifier.state.nonce', 'verifier.state.nonce', 'acme']) {
    expect([memory, await back(memory)]).toEqual([memory, '../../../#/explore?refused=acme'])
  }
})

it('says that a person has signed in too often, and signs them in after that time', async () => {
  const empty = `INSERT INTO limit_buckets (kind, subject, balance, filled_at)
    SELECT 'sign-in-user', id::text, 0, now() FROM users WHERE name = 'ada'
    ON CONFLICT (kind, subject) DO UPDATE SET balance = 0, filled_at = now()`
  await runSql(world.superuserUrl, empty)
  const page = await signInAs('ada')
  await page.getByText('You have signed in too often in a short time.').waitFor()
  expect(await secretOf(page)).toBeUndefined()
  await runSql(world.superuserUrl, `DELETE FROM limit_buckets WHERE kind = 'sign-in-user'`)
  await page.getByRole('link', { name: 'Sign in with Acme' }).click()
  await page.locator('.who', { hasText: 'ada' }).waitFor()
  await page.context().close()
})

it('says in words, and in the log, that the provider of an organisation is unavailable', async () => {
  const deadAddress = `http://127.0.0.1:${await freePort()}`
  const { addresses } = await serveWith(deadAddress)
  const page = await (await browser.newContext()).newPage()
  page.setDefaultTimeout(20_000)
  await page.goto(`${addresses.api}/console/`)
  await page.getByRole('link', { name: 'Sign in with Acme' }).click()
  await page.getByText('The sign-in of your organisation does not answer.').waitFor()
  await page.waitForURL(`${addresses.api}/console/#/explore`)
  expect(await seriousFindings(page)).toEqual([])
  // The page also shows the sign-in with a password. After a reload, the page does not show the error message again.
  await page.getByLabel('Password', { exact: true }).waitFor()
  await page.reload()
  await page.getByLabel('Password', { exact: true }).waitFor()
  expect(await page.getByText('does not answer').count()).toBe(0)
  expect(world.observations).toContainEqual(
    expect.objectContaining({
      kind: 'request-failed',
      code: 'SERVICE_UNAVAILABLE',
      route: '/console/api/sign-in/:provider',
      detail: 'the sign-in acme is unavailable',
    }),
  )
  await page.context().close()
})

it('reports a provider that becomes unavailable during the sign-in, and not as a refusal', async () => {
  let conduct: 'well' | 'broken' | 'failing' = 'well'
  const server = createServer((request, response) => {
    const at = `http://${request.headers.host}`
    const ends = { authorization_endpoint: `${at}/in`, token_endpoint: `${at}/token`, jwks_uri: `${at}/keys` }
    if (conduct === 'broken') request.socket.destroy()
    else if (conduct === 'failing') response.writeHead(502).end('<html>')
    else response.setHeader('content-type', 'application/json').end(JSON.stringify({ issuer: at, ...ends }))
  })
  const port = await freePort()
  await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve))
  const { addresses } = await serveWith(`http://127.0.0.1:${port}`)
  for (const [brought, then, reason] of [
    ['code=x', 'broken', 'unavailable'],
    ['code=x', 'failing', 'unavailable'],
    ['error=temporarily_unavailable', 'well', 'unavailable'],
    ['error=access_denied', 'well', 'refused'],
  ] as const) {
    conduct = 'well'
    const sent = await fetch(`${addresses.api}/console/api/sign-in/acme`, { redirect: 'manual' })
    const cookie = (sent.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    const state = new URL(sent.headers.get('location') ?? '').searchParams.get('state')
    conduct = then
    const returned = `${addresses.api}/console/api/sign-in/acme/callback?${brought}&state=${state}`
    const { headers } = await fetch(returned, { redirect: 'manual', headers: { cookie } })
    expect([brought, then, headers.get('location')]).toEqual([brought, then, `../../../#/explore?${reason}=acme`])
    expect(headers.getSetCookie().filter((one) => one.startsWith('broadgauge='))).toEqual([])
  }
  server.close()
})
