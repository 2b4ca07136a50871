import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runSql } from '../kit/run-sql.ts'
import { openConsoleWorld, signIn, type ConsoleWorld } from './console-world.ts'

const lastMonth = Temporal.Now.plainDateISO('UTC').with({ day: 1 }).subtract({ days: 1 })

let world: ConsoleWorld

beforeAll(async () => {
  world = await openConsoleWorld({ until: lastMonth.toString(), days: 31, agents: 40, tests: ['httpget'] })
}, 120_000)

afterAll(() => world.close())

it('leads from the sign-in to hourly speeds of two ISPs last month, normalised, as CSV and as curl, in under a minute', async () => {
  const isps = await runSql<{ value: string }>(
    world.world.superuserUrl,
    `SELECT value FROM panel_values WHERE subject = 'isp' ORDER BY value LIMIT 2`,
  )
  const names = isps.map(({ value }) => value)
  const { page, complaints, close } = await world.visit()
  const begun = performance.now()
  await signIn(page, world.tokens)
  await page.getByLabel('Points', { exact: true }).selectOption('Each hour')
  await page.getByLabel('Preset range').selectOption('Last month')
  await page.getByLabel('Add a split').selectOption('ISP')
  await page.getByLabel('Add a filter').selectOption('ISP')
  for (const name of names) {
    await page.getByRole('combobox', { name: 'Add a value of ISP' }).fill(name.slice(0, 4))
    await page.getByRole('option', { name, exact: true }).click()
  }
  await page.getByLabel('Normalise').check()
  await page.getByRole('radio', { name: 'Table' }).check()
  await page.locator('[aria-busy="false"]').waitFor()
  await page.getByRole('tab', { name: 'curl' }).click()
  const command = await page.getByRole('tabpanel').locator('pre').innerText()
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save as CSV' }).click()
  const file = await saved
  const seconds = (performance.now() - begun) / 1000
  console.log('a new analyst, s', seconds)
  expect(seconds).toBeLessThan(60)

  const { stdout } = await promisify(execFile)('sh', ['-c', command], {
    env: { ...process.env, TOKEN: world.tokens.data },
    maxBuffer: 64 * 1024 * 1024,
  })
  type Point = { isp: string; dtime: string; metricValue: number }
  const { data } = JSON.parse(stdout) as { data: { metricData: Point[] }[] }
  const points = data.flatMap(({ metricData }) => metricData)
  expect(new Set(points.map(({ isp }) => isp))).toEqual(new Set(names))
  expect(new Set(points.map(({ dtime }) => dtime.slice(0, 7)))).toEqual(new Set([lastMonth.toString().slice(0, 7)]))
  const [, ...lines] = readFileSync(await file.path(), 'utf8')
    .trimEnd()
    .split('\r\n')
  expect(lines.map((line) => line.split(',').slice(0, 3))).toEqual(
    points.map(({ isp, dtime, metricValue }) => [isp, dtime, String(metricValue)]),
  )
  expect(complaints).toEqual([])
  await close()
})

it('finds one package among five thousand while the user types', async () => {
  await runSql(
    world.world.superuserUrl,
    `INSERT INTO panel_values (panel_id, subject, folded, value)
     SELECT (SELECT id FROM panels LIMIT 1), 'package', 'isp ' || n || ':fast ' || n, 'ISP ' || n || ':Fast ' || n
     FROM generate_series(1, 5000) AS n`,
  )
  const { page, close } = await world.visit()
  await signIn(page, world.tokens)
  await page.getByLabel('Add a filter').selectOption('Package')
  const box = page.getByRole('combobox', { name: 'Add a value of Package' })
  await box.focus()
  await page.getByText('The first 50; type more to find others.').waitFor()
  expect(await page.locator('[role=listbox] [role=option]').count()).toBe(50)
  await box.fill('ISP 4321')
  await page.getByRole('option', { name: 'ISP 4321:Fast 4321' }).click()
  await page.getByRole('button', { name: /ISP 4321:Fast 4321/ }).waitFor()
  // The list closes after a choice, so that it does not cover the page. A click opens it again.
  expect(await box.getAttribute('aria-expanded')).toBe('false')
  await box.click()
  await page.getByText('The first 50; type more to find others.').waitFor()
  await close()
})
