import { globSync, statSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { user } from '../features/people/people-world.ts'
import { measured, openConsoleWorld, signInByName, type ConsoleWorld } from './console-world.ts'

const sizesOf = (name: string) => globSync(`docs/images/${name}.png`).map((path) => statSync(path).size)

it('keeps the pictures of the documentation small', () => {
  expect(sizesOf('*').filter((bytes) => bytes >= 300_000)).toEqual([])
})

const isps = ['isp', 'include', 'Acme Broadband', 'Borough Cable', 'Copperline', 'Northern Fibre']
const fourIsps = `metric=latency&aggregation=six_hourly&split=isp&filter=${encodeURIComponent(JSON.stringify(isps))}`

/** The pictures are taken only with `BROADGAUGE_TEST_SCREENSHOTS=1`. */
describe.runIf(process.env['BROADGAUGE_TEST_SCREENSHOTS'] === '1')('pictures for the documentation', () => {
  let world: ConsoleWorld
  let password: string

  beforeAll(async () => {
    world = await openConsoleWorld()
    password = (await user(world.world, 'regulator', 'ada@regulator.example', 'administrator')).password
  }, 120_000)
  afterAll(() => world.close())

  it('of Explore, Agents and Tokens', async () => {
    const options = { viewport: { width: 1280, height: 860 }, colorScheme: 'light' as const }
    const { page, close } = await world.visit(`#/explore?${fourIsps}&${measured}`, options)
    const picture = (name: string) => page.screenshot({ path: `docs/images/console-${name}.png` })
    await signInByName(page, 'ada@regulator.example', password)
    await page.locator('.plot canvas').waitFor()
    await picture('explore')
    await page.getByRole('link', { name: 'Agents' }).click()
    await page.getByLabel('Agent id', { exact: true }).fill('synthetic-0000001')
    await page.getByRole('button', { name: 'Look up' }).click()
    await page.locator('.lane').first().waitFor()
    await page.getByText('Change metadata').click()
    await page.getByLabel('New time zone').fill('Europe/Dublin')
    await page.getByRole('button', { name: 'Preview' }).click()
    const preview = page.getByRole('region', { name: 'Before and after' })
    await preview.waitFor()
    await page.screenshot({ path: 'docs/images/console-agents.png', fullPage: true })
    await page.getByRole('link', { name: 'Tokens' }).click()
    await page.getByLabel('What it is for').fill('nightly report')
    await page.getByRole('button', { name: 'Make a token' }).click()
    await page.locator('.secret').waitFor()
    await page.getByRole('row', { name: 'nightly report' }).waitFor()
    // This token is valid only in the database of this test. But readers of the documentation would think that a
    // visible token has leaked.
    await page.locator('.secret').evaluate((element) => (element.textContent = `bg_${'•'.repeat(36)}`))
    await picture('tokens')
    expect(sizesOf('console-*').length).toBe(3)
    await close()
  })
})
