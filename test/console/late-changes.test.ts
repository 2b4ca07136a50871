import type { Page, Request } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openConsoleWorld, signIn, type ConsoleWorld } from './console-world.ts'
import { holdAnswers } from './held-answers.ts'
import { seriousFindings } from './serious-findings.ts'

let world: ConsoleWorld

beforeAll(async () => {
  world = await openConsoleWorld({ agents: 6, days: 3, tests: ['latency'] })
}, 120_000)

afterAll(() => world.close())

const [agent, other] = ['synthetic-0000001', 'synthetic-0000002']

const isPreview = (request: Request) =>
  request.method() === 'PUT' && (request.postData() ?? '').includes('"dry_run":true')
const isChange = (request: Request) => request.method() === 'PUT' && !isPreview(request)
const isHistory = (request: Request) => request.url().endsWith('/history')

/** Opens the page of an agent: signed in, with the timeline drawn and the form for changes open. */
async function openAgent() {
  const { page, complaints, close } = await world.visit(`#/agents?field=agent&value=${agent}`)
  await signIn(page, world.tokens)
  await page.locator('.lane').first().waitFor()
  await page.getByText('Change metadata').click()
  return { page, complaints, close, zone: page.getByLabel('New time zone') }
}

const pressPreview = (page: Page) => page.getByRole('button', { name: 'Preview' }).click()
const previewIn = (page: Page) => page.getByRole('region', { name: 'Before and after' })

it('shows no preview of a change that has been edited since', async () => {
  const { page, zone, close } = await openAgent()
  const previews = await holdAnswers(page, isPreview)
  await zone.fill('Asia/Kathmandu')
  await pressPreview(page)
  await previews.arrived(1)
  await zone.fill('Pacific/Chatham')
  await previews.release(0)
  expect(await previewIn(page).count()).toBe(0)
  expect(await page.getByRole('button', { name: /^Change \d/ }).count()).toBe(0)
  await close()
})

it('makes the change that was previewed last, in whatever order the previews are answered', async () => {
  const { page, zone, complaints, close } = await openAgent()
  const previews = await holdAnswers(page, isPreview)
  await zone.fill('Asia/Kathmandu')
  await pressPreview(page)
  await previews.arrived(1)
  await zone.fill('Pacific/Chatham')
  await pressPreview(page)
  await previews.arrived(2)
  await previews.release(1)
  await previews.release(0)
  const text = await previewIn(page).innerText()
  expect(text).toContain('Pacific/Chatham')
  expect(text).not.toContain('Asia/Kathmandu')
  const sent = page.waitForRequest(isChange)
  await page.getByRole('button', { name: 'Change 1 agent' }).click()
  expect((await sent).postDataJSON()).toEqual({
    agent: { agent_id: agent },
    metadata: { timezone: 'Pacific/Chatham' },
  })
  await page.getByText('The preview had 1 agent;').waitFor()
  expect(complaints).toEqual([])
  await close()
})

it('locks the form while a change is made, shows its outcome, and keeps the timeline until there is a new one', async () => {
  const { page, zone, close } = await openAgent()
  await zone.fill('Indian/Mauritius')
  await pressPreview(page)
  const changes = await holdAnswers(page, isChange)
  const histories = await holdAnswers(page, isHistory)
  await page.getByRole('button', { name: 'Change 1 agent' }).click()
  await changes.arrived(1)
  expect(await zone.isDisabled()).toBe(true)
  expect(await page.getByRole('radio').first().isDisabled()).toBe(true)
  expect(await page.getByRole('button', { name: 'Preview' }).isDisabled()).toBe(true)
  expect(await seriousFindings(page)).toEqual([])
  await changes.release(0)
  await page.getByText('The preview had 1 agent;').waitFor()
  expect(await zone.isDisabled()).toBe(false)
  await histories.arrived(1)
  const lane = page.locator('.lane', { hasText: 'Time zone' })
  expect(await lane.innerText()).not.toContain('Indian/Mauritius')
  await histories.release(0)
  await lane.getByText('now: Indian/Mauritius').waitFor()
  await close()
})

it('shows no data of the previous agent below the name of the one that is being looked up', async () => {
  const { page, complaints, close } = await openAgent()
  const histories = await holdAnswers(page, isHistory)
  await page.locator('#agent-value').fill(other)
  await page.getByRole('button', { name: 'Look up' }).click()
  await histories.arrived(1)
  await page.getByText('Loading the agent …').waitFor()
  expect(await page.locator('.lane').count()).toBe(0)
  expect(await page.getByRole('heading', { level: 2 }).count()).toBe(0)
  await page.getByText('Change metadata').click()
  // The page does not know yet whether this agent exists, so the form offers no agent to change.
  expect(await page.getByRole('radio').count()).toBe(0)
  await histories.release(0)
  await page.getByRole('heading', { name: `Agent id ${other}` }).waitFor()
  expect(await page.locator('.lane').count()).toBeGreaterThan(0)
  expect(await page.getByRole('radio', { name: other }).isChecked()).toBe(true)
  expect(complaints).toEqual([])
  await close()
})

it('sends no number that was not given', async () => {
  const { page, close } = await openAgent()
  const sent: Request[] = []
  page.on('request', (request) => request.method() === 'PUT' && sent.push(request))
  const set = page.locator('fieldset', { hasText: 'Set' }).first()
  await set.getByRole('button', { name: 'Add a key' }).click()
  await set.getByLabel('Key', { exact: true }).fill('floors')
  await set.getByLabel('Kind of value').selectOption('number')
  await pressPreview(page)
  const value = set.getByLabel('Value', { exact: true })
  expect(await value.evaluate((element) => element.matches(':invalid'))).toBe(true)
  expect(sent).toEqual([])
  await value.fill('0')
  await pressPreview(page)
  await previewIn(page).waitFor()
  expect(sent.map((request) => (request.postDataJSON() as { metadata: unknown }).metadata)).toEqual([
    { custom: { floors: 0 } },
  ])
  await close()
})
