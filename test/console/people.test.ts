import { afterAll, beforeAll, expect, it } from 'vitest'
import { call } from '../kit/call.ts'
import { organisation } from '../kit/panels.ts'
import { runSql } from '../kit/run-sql.ts'
import { disableUser } from '../../src/engine/postgres/operator/users.ts'
import { user } from '../features/people/people-world.ts'
import { measured, openConsoleWorld, signInByName, type ConsoleWorld } from './console-world.ts'
import { seriousFindings } from './serious-findings.ts'

let world: ConsoleWorld
let ada: string

beforeAll(async () => {
  world = await openConsoleWorld()
  ada = (await user(world.world, 'regulator', 'ada@regulator.example', 'administrator')).password
}, 120_000)

afterAll(() => world.close())

it('signs a person in by name, stores nothing that a script could read, survives a reload, and signs out', async () => {
  const { page, complaints, close } = await world.visit(`#/explore?${measured}`)
  await signInByName(page, 'ada@regulator.example', 'wrong')
  expect(await page.getByRole('alert').innerText()).toContain('The name or the password is wrong.')
  await signInByName(page, 'ada@regulator.example', ada)
  await page.locator('.plot canvas').waitFor()
  expect(await page.locator('.who').innerText()).toContain('ada@regulator.example')
  const kept = await page.evaluate(() => JSON.stringify([sessionStorage, localStorage, document.cookie]))
  expect(kept).not.toMatch(/bg_|broadgauge=/)
  const asked = page.waitForRequest((request) => request.url().endsWith('/metric_data'))
  await page.reload()
  const headers = await (await asked).allHeaders()
  expect(headers['authorization']).toMatch(/^bg_/)
  expect(headers['cookie']).toBeUndefined()
  await page.locator('.plot canvas').waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Password', { exact: true }).waitFor()
  expect((await call(`${world.api}/tests`, { token: headers['authorization'] ?? '' })).status).toBe(403)
  await page.reload()
  await page.getByLabel('Password', { exact: true }).waitFor()
  expect(complaints).toEqual([])
  await close()
})

it.each(['light', 'dark'] as const)(
  'makes a token, shows it once, and revokes it, in the %s theme',
  async (colorScheme) => {
    const { page, complaints, close } = await world.visit('#/tokens', { colorScheme })
    expect(await seriousFindings(page)).toEqual([])
    await signInByName(page, 'ada@regulator.example', ada)
    await page.getByLabel('What it is for').fill(`nightly ${colorScheme}`)
    await page.getByLabel('Read agents’ metadata').check()
    await page.getByLabel('It works for').selectOption('a year')
    await page.getByRole('button', { name: 'Make a token' }).click()
    const secret = await page.locator('.secret').innerText()
    expect((await call(`${world.api}/tests`, { token: secret })).status).toBe(200)
    const row = page.getByRole('row', { name: `nightly ${colorScheme}` })
    expect(await row.innerText()).toContain('data:read, metadata:read')
    expect(await row.innerText()).toContain('by ada@regulator.example')
    expect(await seriousFindings(page)).toEqual([])
    await page.reload()
    await row.waitFor()
    expect(await page.content()).not.toContain(secret)
    await row.getByRole('button', { name: 'Revoke' }).click()
    await row.getByRole('button', { name: 'Keep it' }).click()
    await row.getByRole('button', { name: 'Revoke' }).click()
    await row.getByRole('button', { name: 'Revoke it now' }).click()
    await row.getByText('Revoked').waitFor()
    expect((await call(`${world.api}/tests`, { token: secret })).status).toBe(403)
    await page.getByRole('link', { name: 'Account' }).click()
    await page.getByRole('heading', { name: 'Account' }).waitFor()
    expect(await seriousFindings(page)).toEqual([])
    expect(complaints).toEqual([])
    await close()
  },
)

/** Opens a page as Ada. Then a user of another organisation signs in in another tab of the same browser. */
async function besideAda(key: string, name: string) {
  await organisation(world.world, key)
  const { password } = await user(world.world, key, name, 'administrator')
  const { page, close } = await world.visit('#/account')
  await signInByName(page, 'ada@regulator.example', ada)
  await page.locator('.who', { hasText: 'ada' }).waitFor()
  const other = await page.context().newPage()
  await other.goto(`${world.api}/console/#/account`)
  await other.getByRole('button', { name: 'Sign out' }).click()
  await signInByName(other, name, password)
  await other.locator('.who', { hasText: name }).waitFor()
  return { page, other, close }
}

it('does not continue as another person who signs in in another tab', async () => {
  const { page, other, close } = await besideAda('carrier', 'bob')
  await page.getByRole('link', { name: 'Tokens' }).click()
  await page.getByLabel('Password', { exact: true }).waitFor()
  expect(await page.locator('.who').count()).toBe(0)
  // The tab of the user who signed in last still works.
  await other.getByRole('link', { name: 'Tokens' }).click()
  await other.getByLabel('What it is for').waitFor()
  await close()
})

it('does not report a sign-out while another person is signed in, and shows who', async () => {
  const { page, close } = await besideAda('neighbour', 'carol')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('alert').getByText('carol is signed in in this browser now, not you.').waitFor()
  await page.locator('.who', { hasText: 'carol' }).waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Password', { exact: true }).waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  await close()
})

it('stops its automatic requests on every page without user activity', async () => {
  const { page, close } = await world.visit('#/downloads')
  await page.clock.install()
  await page.reload()
  await signInByName(page, 'ada@regulator.example', ada)
  await page.getByRole('heading', { name: 'Downloads' }).waitFor()
  const pass = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) await page.clock.runFor(60_000)
  }
  await pass(25)
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await pass(60)
  expect(asked).toEqual([])
  const again = page.waitForRequest((request) => request.url().includes('/downloads'))
  await page.keyboard.press('Tab')
  await again
  await close()
})

it('lets a person change the password, and shows the faults of a new one', async () => {
  const { password } = await user(world.world, 'regulator', 'grace')
  const { page, close } = await world.visit('#/account')
  await signInByName(page, 'grace', password)
  await page.getByLabel('Current password').fill(password)
  await page.getByLabel('New password').fill('short')
  await page.getByRole('button', { name: 'Change the password' }).click()
  await page.locator('.field-error').getByText('at least 12 characters').waitFor()
  await page.getByLabel('New password').fill('a longer one, chosen')
  await page.getByRole('button', { name: 'Change the password' }).click()
  await page.getByText('Changed.').waitFor()
  // The page shows analysts no link to a page that they may not use.
  expect(await page.getByRole('link', { name: 'Tokens' }).count()).toBe(0)
  await close()
})

it('returns to the sign-in when the session has ended elsewhere, and keeps the place', async () => {
  const { password } = await user(world.world, 'regulator', 'eve')
  const { page, close } = await world.visit(`#/explore?metric=latency&${measured}`)
  await signInByName(page, 'eve', password)
  await page.locator('.plot canvas').waitFor()
  await world.world.operate((operator) => disableUser(operator, 'eve'))
  await page.getByLabel('Points', { exact: true }).selectOption('hour_of_day')
  await page.getByText('Your session has ended.').waitFor()
  expect(page.url()).toContain('aggregation=hour_of_day')
  await close()
})

it('signs out of a session that has already ended', async () => {
  const { password } = await user(world.world, 'regulator', 'mary')
  const { page, close } = await world.visit('#/account')
  await signInByName(page, 'mary', password)
  await page.getByRole('heading', { name: 'Account' }).waitFor()
  await world.world.operate((operator) => disableUser(operator, 'mary'))
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Password', { exact: true }).waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  await close()
})

const unavailable = { status: 503, json: { code: 'SERVICE_UNAVAILABLE', message: 'Service unavailable' } }

it('says that no token was made only if the service refused, and otherwise shows whether there is one', async () => {
  const { page, close } = await world.visit('#/tokens')
  await signInByName(page, 'ada@regulator.example', ada)
  const press = () => page.getByRole('button', { name: 'Make a token' }).click()
  await page.getByLabel('What it is for').fill('answer lost')
  await page.getByLabel('Read metrics and test results').uncheck()
  await press()
  const alert = page.getByRole('alert')
  await alert.getByText('No token was made.').waitFor()
  await page.getByLabel('Read metrics and test results').check()
  // The service creates the token, but the page receives an error instead of the service's response.
  await page.route('**/console/api/tokens', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    await route.fetch()
    return route.fulfill(unavailable)
  })
  await press()
  await alert.getByText('may or may not have been made').waitFor()
  expect(await alert.innerText()).not.toContain('No token was made.')
  await page.getByRole('row', { name: 'answer lost' }).waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await close()
})

it('lists valid tokens first, says when there may be more, and why no more can be made', async () => {
  await organisation(world.world, 'crowded')
  const { password } = await user(world.world, 'crowded', 'bea', 'administrator')
  const tokens = (label: string, count: number, revoked: string) =>
    runSql(
      world.world.superuserUrl,
      `INSERT INTO tokens (organisation_id, label, visible_part, sha256, scopes, revoked_at)
       SELECT id, '${label} ' || n, 'bg_', sha256(('${label} ' || n)::bytea), '{data:read}', ${revoked}
       FROM organisations, generate_series(1, ${count}) AS n WHERE key = 'crowded'`,
    )
  await tokens('standing', 1, 'NULL')
  await tokens('revoked', 998, 'now()')
  const { page, close } = await world.visit('#/tokens')
  await signInByName(page, 'bea', password)
  const first = page.locator('tbody tr').first()
  await first.getByText('standing 1').waitFor()
  const note = page.getByText('1,000 tokens are listed, and there may be more.')
  expect(await note.count()).toBe(0)
  await tokens('another', 1_000, 'NULL')
  await page.reload()
  await note.waitFor()
  expect(await page.locator('tbody tr').count()).toBe(1_000)
  await page.getByLabel('What it is for').fill('one more')
  await page.getByRole('button', { name: 'Make a token' }).click()
  await page.getByRole('alert').getByText('No token was made.').waitFor()
  await page.getByRole('alert').getByText('revoke some first').waitFor()
  await close()
})

it('says that a password was not changed only if the service refused', async () => {
  const { password } = await user(world.world, 'regulator', 'joan')
  const { page, close } = await world.visit('#/account')
  await signInByName(page, 'joan', password)
  const change = async (current: string) => {
    await page.getByLabel('Current password').fill(current)
    await page.getByLabel('New password').fill('a longer one, chosen')
    await page.getByRole('button', { name: 'Change the password' }).click()
  }
  const alert = page.getByRole('alert')
  await change('not the one')
  await alert.getByText('Nothing was changed.').waitFor()
  await page.route('**/console/api/password', (route) => route.abort())
  await change(password)
  await alert.getByText('may or may not have been changed').waitFor()
  expect(await alert.innerText()).not.toContain('Nothing was changed.')
  await close()
})

it.each([360, 3840])('fits a screen of %i pixels on every page', async (width) => {
  const { page, close } = await world.visit(`#/explore?split=isp&${measured}`, { viewport: { width, height: 800 } })
  const overflow = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  expect(await overflow()).toBe(0)
  await signInByName(page, 'ada@regulator.example', ada)
  await page.locator('.plot canvas').waitFor()
  for (const name of ['Explore', 'Test data', 'Downloads', 'Agents', 'Tokens', 'Account']) {
    await page.getByRole('navigation').getByRole('link', { name }).click()
    await page.getByRole('heading', { level: 1, name }).waitFor({ state: 'attached' })
    expect([name, await overflow()]).toEqual([name, 0])
  }
  await close()
})
