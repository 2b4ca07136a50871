import { vi } from 'vitest'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import type { PlotElement } from '../../console/src/chart/plot.tsx'
import { buildConsole } from '../../console/build.ts'
import { organisation, token } from '../kit/panels.ts'
import { synthPanel, type SynthPanelOptions } from '../kit/synth-panel.ts'
import { openWorld } from '../kit/world.ts'

// The browser and three stores share two cores, so pages load slowly.
vi.setConfig({ testTimeout: 90_000 })

/** A small panel, an instance that serves the console, and a browser. */
export async function openConsoleWorld(panel: Partial<SynthPanelOptions> = {}) {
  await buildConsole()
  const world = await openWorld({ clickhouse: true })
  await organisation(world, 'regulator')
  await synthPanel(world, {
    owner: 'regulator',
    agents: 60,
    days: 30,
    tests: ['httpget', 'latency'],
    kinds: ['whitebox', 'cpe'],
    ...panel,
  })
  const service = await world.serve()
  const { api } = service.addresses
  const tokens = {
    data: await token(world, 'regulator', ['data:read']),
    metadata: await token(world, 'regulator', ['metadata:read', 'metadata:write']),
  }
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
  return {
    world,
    api,
    tokens,
    serve: world.serve,
    visit: (place = '', options: BrowserContextOptions = {}, home = api) =>
      visit(browser, `${home}/console/${place}`, options),
    close: async () => {
      await browser.close()
      await world.close()
    },
  }
}

export type ConsoleWorld = Awaited<ReturnType<typeof openConsoleWorld>>

/**
 * Opens a new tab. `complaints` collects the errors that the browser reports, including what the page's Content
 * Security Policy blocks.
 */
async function visit(browser: Browser, address: string, options: BrowserContextOptions) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('the server responded with a status of'))
      complaints.push(message.text())
  })
  await page.goto(address)
  return { page, complaints, close: () => context.close() }
}

export async function signIn(page: Page, tokens: { data: string; metadata?: string }): Promise<void> {
  await page.getByRole('tab', { name: 'With a token' }).click()
  await page.getByLabel('Token for data').fill(tokens.data)
  if (tokens.metadata !== undefined) await page.getByLabel('Token for metadata').fill(tokens.metadata)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

export async function signInByName(page: Page, name: string, password: string): Promise<void> {
  await page.getByRole('tab', { name: 'By name' }).click()
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** The time range in which the synthetic panel has results, as query parameters. */
export const measured = 'from=2026-04-06 00:00:00&to=2026-04-15 23:59:59'

export type Plot = NonNullable<PlotElement['plot']>

/** The DOM element of a chart. */
export type Plotted = HTMLElement & { plot: Plot }
