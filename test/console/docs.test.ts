import { chromium, type Browser, type Frame, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { organisation, panel, token } from '../kit/panels.ts'
import { openWorld, type World } from '../kit/world.ts'
import { signIn, user } from '../features/people/people-world.ts'

vi.setConfig({ testTimeout: 90_000 })

let world: World
let api: string
let browser: Browser

beforeAll(async () => {
  world = await openWorld()
  await organisation(world, 'regulator')
  await panel(world, 'homes', 'regulator', ['whitebox'])
  api = (await world.serve()).addresses.api
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
}, 120_000)

afterAll(async () => {
  await browser.close()
  await world.close()
})

/** Opens the page at a path below `/docs`. Also returns the frame in which the API reference runs. */
async function visit(path = ''): Promise<{ page: Page; reference: Frame }> {
  const page = await (await browser.newContext({ viewport: { width: 1400, height: 1000 } })).newPage()
  page.setDefaultTimeout(30_000)
  await page.goto(`${api}/docs${path}`)
  const referenceIn = () => page.frames().at(-1) ?? page.mainFrame()
  await expect
    .poll(() => referenceIn().getByText('List the metrics that you may query').count(), { timeout: 60_000 })
    .not.toBe(0)
  return { page, reference: referenceIn() }
}

it('shows the reference, and sends a request with a token and shows the response', async () => {
  const secret = await token(world, 'regulator', ['data:read'])
  const { page, reference } = await visit()
  await reference.getByText('List the metrics that you may query').first().click()
  await reference
    .getByRole('button', { name: /Test Request/ })
    .first()
    .click()
  await reference.getByPlaceholder('Token').last().fill(secret)
  const answered = page.waitForResponse(`${api}/metrics`)
  await reference.getByRole('button', { name: /Send/ }).first().click()
  const answer = await answered
  expect([answer.status(), (await answer.request().allHeaders())['authorization']]).toEqual([200, `Bearer ${secret}`])
  await reference.getByText('200 OK').waitFor()
  await reference.getByText('"Request successful"').waitFor()

  const posted = await reference.evaluate(async (authorization) => {
    const headers = { authorization, 'content-type': 'application/json' }
    const response = await fetch('../metric_data', { method: 'POST', headers, body: '{"metric":"none"}' })
    return { status: response.status, body: (await response.json()) as { errors: Record<string, string[]> } }
  }, secret)
  expect(posted.status).toBe(422)
  expect(posted.body.errors['metric']).toEqual(['The value you selected is not a valid choice.'])
  await page.context().close()
})

it('redirects the address of a single operation, also inside the frame, to that operation', async () => {
  const { page, reference } = await visit('/reference#tag/data/GET/tests')
  expect([page.url(), reference.url()]).toEqual([
    `${api}/docs/#tag/data/GET/tests`,
    `${api}/docs/reference#tag/data/GET/tests`,
  ])
  await page.context().close()
})

it('gives a script in the reference neither the session of the console, nor its pages, nor a network', async () => {
  const { password } = await user(world, 'regulator', 'ada', 'administrator')
  const [name = '', value = ''] = (await signIn(api, 'ada', password)).split('=')
  const { page, reference } = await visit()
  await page.context().addCookies([{ name, value, url: api, sameSite: 'Strict', httpOnly: true }])
  const session = `${api}/console/api/session`
  const readSession = async (url: string) => (await fetch(url, { credentials: 'include' })).status
  // This is the control: a script of the console's own origin can read the session. So if the reads below are refused,
  // the frame is the reason.
  expect(await page.evaluate(readSession, session)).toBe(200)
  expect(await reference.evaluate(readSession, session)).toBe(403)

  const refusals = await reference.evaluate(async (url) => {
    const refused = async (work: () => unknown): Promise<string> => {
      try {
        return `allowed: ${String(await work())}`
      } catch (error) {
        return (error as Error).name
      }
    }
    const request = () =>
      new Promise((resolve, reject) => {
        const asked = new XMLHttpRequest()
        asked.open('GET', url)
        asked.withCredentials = true
        asked.addEventListener('load', () => resolve(asked.status))
        asked.addEventListener('error', () => reject(new TypeError('no answer')))
        asked.send()
      })
    return {
      cookie: await refused(() => document.cookie),
      outerPage: await refused(() => parent.document.title),
      outerFetch: await refused(() => (parent as unknown as typeof globalThis).fetch(url)),
      request: await refused(request),
      popup: await refused(() => open('../console/') ?? Promise.reject(new DOMException('', 'Blocked'))),
    }
  }, session)
  expect(refusals).toEqual({
    cookie: 'SecurityError',
    outerPage: 'SecurityError',
    outerFetch: 'SecurityError',
    request: 'TypeError',
    popup: 'Blocked',
  })
  await page.context().close()
})

it('runs no script that is injected into the reference', async () => {
  const { page, reference } = await visit()
  const ran = await reference.evaluate(async () => {
    const kept = globalThis as unknown as { ran?: boolean }
    document.body.insertAdjacentHTML('beforeend', '<img src="x:" onerror="globalThis.ran = true">')
    const script = document.createElement('script')
    script.textContent = 'globalThis.ran = true'
    document.body.append(script)
    await new Promise((resolve) => setTimeout(resolve, 500))
    return kept.ran ?? false
  })
  expect(ran).toBe(false)
  await page.context().close()
})
