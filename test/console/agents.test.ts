import { afterAll, beforeAll, expect, it } from 'vitest'
import { openConsoleWorld, signIn, type ConsoleWorld } from './console-world.ts'
import { seriousFindings } from './serious-findings.ts'

let world: ConsoleWorld

beforeAll(async () => {
  world = await openConsoleWorld()
}, 120_000)

afterAll(() => world.close())

const agent = 'synthetic-0000001'

type Span = { from: string | null; to: string | null; package: string | null; custom: Record<string, unknown> }

async function historyOf(id: string): Promise<Span[]> {
  const headers = { authorization: `Bearer ${world.tokens.metadata}` }
  const response = await fetch(`${world.api}/metadata/agent/${id}/history`, { headers })
  return ((await response.json()) as { data: Span[] }).data
}

const dayText = (daysAgo: number) => Temporal.Now.plainDateISO('UTC').subtract({ days: daysAgo }).toString()

it('draws the timeline of an agent, and says if there is none', async () => {
  const { page, complaints, close } = await world.visit('#/agents')
  await signIn(page, world.tokens)
  await page.getByText('No agent chosen.').waitFor()
  await page.getByLabel('Agent id').fill('no-such-agent')
  await page.getByRole('button', { name: 'Look up' }).click()
  expect(await page.getByRole('alert').innerText()).toContain('NOT_FOUND')
  await page.getByLabel('Agent id').fill(agent)
  await page.getByRole('button', { name: 'Look up' }).click()
  const lane = page.locator('.lane', { hasText: 'Package' }).locator('li')
  await lane.first().waitFor()
  const spans = await historyOf(agent)
  const packages = spans.map((span) => span.package).filter((name, at, all) => at === 0 || name !== all[at - 1])
  const texts = await lane.allInnerTexts()
  expect(texts.map((text) => text.split(', ')[0]?.trim())).toEqual(packages.map((name) => name ?? 'none'))
  expect(await seriousFindings(page)).toEqual([])
  expect(complaints).toEqual([])
  await close()
})

it('previews a change, makes it once when the button is pressed, and shows the new timeline', async () => {
  const { page, complaints, close } = await world.visit(`#/agents?field=agent&value=${agent}`)
  await signIn(page, world.tokens)
  await page.locator('.lane').first().waitFor()
  await page.getByText('Change metadata').click()
  const set = page.locator('fieldset', { hasText: 'Set' }).first()
  await set.getByRole('button', { name: 'Add a key' }).click()
  await set.getByLabel('Key', { exact: true }).fill('street_cabinet')
  await set.getByLabel('Value', { exact: true }).fill('cabinet 7')
  await page.getByLabel('From this day on').fill(dayText(28))
  const before = await historyOf(agent)
  await page.getByRole('button', { name: 'Preview' }).click()
  const preview = page.getByRole('region', { name: 'Before and after' })
  await preview.waitFor()
  expect(await preview.innerText()).toContain('cabinet 7')
  expect(await historyOf(agent)).toEqual(before)
  expect(await seriousFindings(page)).toEqual([])

  const sent = page.waitForRequest((request) => request.method() === 'PUT')
  await page.getByRole('button', { name: 'Change 1 agent' }).click()
  expect((await sent).headers()['idempotency-key']).toMatch(/^[0-9a-f]{32}$/)
  await page.getByText('The preview had 1 agent;').waitFor()
  await page.locator('.lane', { hasText: 'street_cabinet' }).waitFor()
  const after = await historyOf(agent)
  expect(after.at(-1)?.custom).toMatchObject({ street_cabinet: 'cabinet 7' })
  const first = after.find(({ custom }) => 'street_cabinet' in custom)
  expect(first?.from).toBe(dayText(28))
  expect(complaints).toEqual([])
  await close()
})

it('shows the faults of a change next to its fields, and changes nothing', async () => {
  const { page, close } = await world.visit('#/agents')
  await signIn(page, world.tokens)
  await page.getByText('Change metadata').click()
  await page.getByLabel('New time zone').fill('Europe/Lundon')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('Name what the agents have in common.').waitFor()
  const zone = page.locator('.field', { has: page.getByLabel('New time zone') })
  expect(await zone.locator('.field-error').innerText()).toBe('Europe/Lundon is not a valid IANA timezone.')
  expect(await page.getByRole('button', { name: /^Change \d/ }).count()).toBe(0)
  await close()
})

it('explains to a token that may only read data why agents are not shown', async () => {
  const { page, close } = await world.visit(`#/agents?field=agent&value=${agent}`)
  await signIn(page, { data: world.tokens.data })
  expect(await page.getByRole('alert').innerText()).toContain('lacks the scope')
  await close()
})

it('finds an agent by the first letters of its id, its MAC address, or its unit', async () => {
  const { page, close } = await world.visit('#/agents')
  await signIn(page, world.tokens)
  const search = page.getByRole('combobox', { name: 'Search agents' })
  await search.fill('SYNTHETIC 00000')
  const options = page.locator('[role=listbox] [role=option]')
  await options.first().waitFor()
  expect(await options.count()).toBe(20)
  const label = await options.nth(3).innerText()
  const [id = '', unit = ''] = label.split(' · ')
  await search.fill(unit.replace('unit ', ''))
  await page.getByRole('option', { name: id }).click()
  await page.getByRole('heading', { name: `Agent id ${id}` }).waitFor()
  expect(page.url()).toContain(`value=${id}`)
  await close()
})
