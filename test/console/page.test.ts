import { globSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  measured,
  openConsoleWorld,
  signIn,
  signInByName,
  type ConsoleWorld,
  type Plot,
  type Plotted,
} from './console-world.ts'
import { freePort } from '../kit/free-port.ts'
import { user } from '../features/people/people-world.ts'
import { seriousFindings } from './serious-findings.ts'

let world: ConsoleWorld

beforeAll(async () => {
  world = await openConsoleWorld()
}, 120_000)

afterAll(() => world.close())

it('refuses a wrong token with a sentence, accepts a right one, and keeps it in the tab only', async () => {
  const { page, complaints, close } = await world.visit()
  const mistyped = `${world.tokens.data.slice(0, -1)}${world.tokens.data.endsWith('x') ? 'y' : 'x'}`
  await signIn(page, { data: mistyped })
  expect(await page.getByRole('alert').innerText()).toContain('ACCESS_DENIED')
  await signIn(page, { data: world.tokens.data, metadata: world.tokens.data })
  await page.getByText('The token for metadata was refused').waitFor()
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
  await signIn(page, world.tokens)
  await page.getByLabel('Metric').waitFor()
  const kept = await page.evaluate(() => [
    JSON.stringify(sessionStorage),
    JSON.stringify(localStorage),
    document.cookie,
  ])
  expect(kept.map((text) => text.includes(world.tokens.data))).toEqual([true, false, false])
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Token for data').waitFor()
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
  expect(complaints).toEqual([])
  await close()
})

it('is served with a policy that allows nothing inline and nothing from other origins, below a redirect that keeps prefixes', async () => {
  const page = await fetch(`${world.api}/console/`)
  const policy = page.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
  expect(policy).not.toContain('unsafe')
  const redirect = await fetch(`${world.api}/console`, { redirect: 'manual' })
  expect([redirect.status, redirect.headers.get('location')]).toEqual([308, 'console/'])
  const missing = await fetch(`${world.api}/console/assets/none.js`)
  expect([missing.status, ((await missing.json()) as { code: string }).code]).toEqual([404, 'NOT_FOUND'])
  expect((await fetch(`${world.api}/console/`, { method: 'POST' })).status).toBe(405)
})

it('follows the base addresses: below the prefix of the data interface, with calls to the host of the other allowed', async () => {
  const { addresses } = await world.serve({
    BROADGAUGE_DATA_BASE_URL: '/data/',
    BROADGAUGE_METADATA_BASE_URL: 'https://metadata.example.org/v1',
  })
  const page = await fetch(`${addresses.api}/data/console/`)
  expect(page.headers.get('content-security-policy')).toContain("connect-src 'self' https://metadata.example.org;")
  const settings = await fetch(`${addresses.api}/data/console/settings.json`)
  expect(await settings.json()).toEqual({
    dataBaseUrl: '/data/',
    metadataBaseUrl: 'https://metadata.example.org/v1',
  })
  expect((await fetch(`${addresses.api}/console/`)).status).toBe(404)
})

it('is usable with the keyboard alone, from the token to a chart', async () => {
  const { page, close } = await world.visit(`#/explore?${measured}`)
  const { keyboard } = page
  // The browser ignores keys that are pressed before the page has loaded.
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  await keyboard.press('Tab')
  await keyboard.press('ArrowRight')
  await page.getByLabel('Token for data').waitFor()
  await keyboard.press('Tab')
  await keyboard.type(world.tokens.data)
  await keyboard.press('Enter')
  await page.getByLabel('Metric').waitFor()
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
  await keyboard.press('Tab')
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to the content')
  await keyboard.press('Enter')
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('metric')
  await keyboard.press('Tab')
  // Choose with arrow keys. With typed letters, a slow browser would take two letters of one word as the beginnings of
  // two words.
  const chosen = () => page.evaluate(() => (document.activeElement as HTMLSelectElement).selectedOptions[0]?.text)
  for (let presses = 0; presses < 12 && (await chosen()) !== 'By day of the week'; presses += 1) {
    await keyboard.press('ArrowDown')
  }
  await page.getByRole('heading', { name: 'by day of the week' }).waitFor()
  await page.getByRole('radio', { name: 'Mean' }).focus()
  await keyboard.press('ArrowRight')
  expect(await page.getByRole('radio', { name: 'Percentiles' }).isChecked()).toBe(true)
  await page.getByRole('tab', { name: 'Request' }).focus()
  await keyboard.press('ArrowRight')
  expect(await page.getByRole('tab', { name: 'curl' }).getAttribute('aria-selected')).toBe('true')
  await close()
})

it('works against another service if both operators allow it, and says what to do if not', async () => {
  const port = await freePort()
  const home = `http://127.0.0.1:${port}`
  const other = await world.serve({ BROADGAUGE_CORS_ORIGINS: home })
  await world.serve({ BROADGAUGE_PORT: String(port), BROADGAUGE_CONSOLE_ORIGINS: other.addresses.api })
  const { page, close } = await world.visit('', {}, home)
  const pointAt = async (address: string) => {
    await page.getByLabel('Address of the data interface').fill(address)
    await page.getByLabel('Address of the metadata interface').fill(address)
    await signIn(page, world.tokens)
  }
  await page.getByRole('tab', { name: 'With a token' }).click()
  await page.getByText('Another address').click()
  await pointAt('http://127.0.0.1:9')
  expect(await page.getByRole('alert').innerText()).toContain('No answer from http://127.0.0.1:9')
  const asked = page.waitForRequest((request) => request.url().startsWith(`${other.addresses.api}/metrics`))
  await pointAt(other.addresses.api)
  await asked
  await page.getByLabel('Metric').waitFor()
  await close()
})

it('sends the token of a person’s session to no other service, whatever address was typed before', async () => {
  const port = await freePort()
  const home = `http://127.0.0.1:${port}`
  const other = await world.serve({ BROADGAUGE_CORS_ORIGINS: home })
  await world.serve({ BROADGAUGE_PORT: String(port), BROADGAUGE_CONSOLE_ORIGINS: other.addresses.api })
  const { password } = await user(world.world, 'regulator', 'carol')
  const { page, close } = await world.visit('', {}, home)
  const authorized: string[] = []
  page.on('request', (request) => {
    if (request.headers()['authorization'] !== undefined) authorized.push(new URL(request.url()).origin)
  })
  await page.getByRole('tab', { name: 'With a token' }).click()
  await page.getByText('Another address').click()
  for (const which of ['data', 'metadata'])
    await page.getByLabel(`Address of the ${which} interface`).fill(other.addresses.api)
  await page.getByRole('tab', { name: 'By name' }).click()
  await signInByName(page, 'carol', password)
  await page.getByLabel('Metric').waitFor()
  expect(new Set(authorized)).toEqual(new Set([home]))
  await close()
})

it('sends requests to no other host than the service', async () => {
  const { page, close } = await world.visit(`#/explore?${measured}`)
  const hosts = new Set<string>()
  page.on('request', (request) => hosts.add(new URL(request.url()).origin))
  await page.reload()
  await signIn(page, world.tokens)
  await page.locator('.plot canvas').waitFor()
  expect([...hosts]).toEqual([world.api])
  await close()
})

it('loads at most 250 KB of compressed script', () => {
  const scripts = globSync('console/dist/assets/*.js').map((path) => gzipSync(readFileSync(path)).length)
  expect(scripts.length).toBeGreaterThan(0)
  expect(scripts.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(250_000)
})

it.each(['light', 'dark'] as const)('has no serious accessibility finding in the %s theme', async (colorScheme) => {
  const { page, close } = await world.visit(`#/explore?split=isp&${measured}`, { colorScheme })
  expect(await seriousFindings(page)).toEqual([])
  await signIn(page, world.tokens)
  await page.locator('.plot canvas').waitFor()
  await page.getByLabel('Add a filter').selectOption('isp')
  await page.getByRole('combobox', { name: 'Add a value of ISP' }).focus()
  expect(await seriousFindings(page)).toEqual([])
  for (const view of ['Percentiles', 'Table']) {
    await page.getByRole('radio', { name: view }).check()
    expect(await seriousFindings(page)).toEqual([])
  }
  await page.getByLabel('Points', { exact: true }).selectOption('total')
  await page.getByRole('radio', { name: 'Mean' }).check()
  await page.locator('.bars').waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await page.getByLabel('Points', { exact: true }).selectOption('raw')
  await page.getByText('results, all there are').waitFor()
  await page.locator('.plot canvas').waitFor()
  expect(await seriousFindings(page)).toEqual([])
  for (const [name, content] of [
    ['Test data', 'Nothing asked yet.'],
    ['Downloads', 'There is no file.'],
    ['Agents', 'No agent chosen.'],
  ] as const) {
    await page.getByRole('navigation').getByRole('link', { name }).click()
    await page.getByText(content).waitFor()
    expect(await seriousFindings(page)).toEqual([])
  }
  await page.getByText('Change metadata').click()
  expect(await seriousFindings(page)).toEqual([])
  await close()
})

it('redraws 50 lines of 720 points about as fast as the chart library alone', async () => {
  const range = 'from=2026-03-17 00:00:00&to=2026-04-15 23:59:59'
  const { page, close } = await world.visit(`#/explore?metric=latency&aggregation=hourly&split=agent&${range}`)
  await signIn(page, world.tokens)
  await page.locator('.plot canvas').waitFor()
  await page.getByRole('button', { name: 'First 50' }).click()
  await page.evaluate(`${readFileSync('node_modules/uplot/dist/uPlot.iife.min.js', 'utf8')}; window.uPlot = uPlot`)
  const taken = await page.locator('.plot').evaluate(async (element) => {
    const { plot } = element as Plotted
    const timed = async (drawing: Plot) => {
      const started = performance.now()
      drawing.redraw()
      // uPlot draws in a microtask; this microtask runs after it.
      await Promise.resolve()
      return performance.now() - started
    }
    const median = (times: readonly number[]) => times.toSorted((one, other) => one - other)[3] ?? 0
    const { uPlot: Bare } = globalThis as unknown as { uPlot: new (...given: unknown[]) => Plot }
    const plain = plot.series.slice(1).map(() => ({ stroke: 'red' }))
    const bare = new Bare({ width: plot.width, height: plot.height, series: [{}, ...plain] }, plot.data, document.body)
    // Measure the two charts alternately, so that a slow machine affects both.
    const times: { ours: number[]; bare: number[] } = { ours: [], bare: [] }
    for (let turn = 0; turn < 7; turn += 1) {
      times.ours.push(await timed(plot))
      times.bare.push(await timed(bare))
    }
    return {
      lines: plot.data.length - 1,
      points: plot.data[0].length,
      ours: median(times.ours),
      bare: median(times.bare),
    }
  })
  console.log('redraw, ms', taken)
  expect(taken.lines).toBe(50)
  expect(taken.points).toBe(720)
  expect(taken.ours).toBeLessThan(Math.max(100, 2 * taken.bare))
  await close()
})
