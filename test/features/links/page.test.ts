import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { changeFrameOrigins } from '../../../src/engine/postgres/operator/organisations.ts'
import { question, request } from '../questions/question-world.ts'
import { openLinkWorld, type LinkWorld } from './link-world.ts'

vi.setConfig({ testTimeout: 90_000 })

let world: LinkWorld
let browser: Browser
let site: Server
let siteUrl: string
/** The page of another site, which embeds what a link gives. */
let sitePage = ''

beforeAll(async () => {
  world = await openLinkWorld()
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
  site = createServer((_request, response) => {
    const policy = `default-src 'none'; img-src ${world.base}; frame-src ${world.base}`
    response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy }).end(sitePage)
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`
}, 120_000)
afterAll(async () => {
  await browser.close()
  site.close()
  await world.world.close()
})

/** A page, the addresses that it requests, and what its console says, such as violations of a policy. */
async function open(address: string): Promise<{ page: Page; asked: string[]; said: string[] }> {
  const page = await (await browser.newContext({ viewport: { width: 1100, height: 1400 } })).newPage()
  const [asked, said]: [string[], string[]] = [[], []]
  page.on('request', (one) => asked.push(one.url()))
  page.on('console', (message) => said.push(message.text()))
  page.on('pageerror', (error) => said.push(String(error)))
  await page.goto(address, { waitUntil: 'networkidle' })
  return { page, asked, said }
}

const widthOf = (page: Page): Promise<number> => page.evaluate('document.querySelector("img").naturalWidth')

describe('the page of a link', () => {
  it('shows its chart and table under its policy, and requests nothing else but its files', async () => {
    const hostile = '</title><script>document.title = "changed"</script>'
    const body = {
      ...question,
      name: 'Speed of all lines',
      description: hostile,
      request: { ...request, splits: ['target'] },
    }
    await world.send('PUT', '/questions/shown', { body })
    const path = await world.share({}, { key: 'shown' })
    const { page, asked, said } = await open(`${world.base}${path}`)
    expect(asked.filter((url) => !url.startsWith('data:'))).toEqual([`${world.base}${path}`])
    expect(said).toEqual([])
    expect(await page.title()).toBe('Speed of all lines')
    expect(await widthOf(page)).toBe(960)
    expect(await page.locator('tbody tr').count()).toBe(4)
    expect(await page.locator('p').first().innerText()).toBe(hostile)
    // The style sheet applies, so the policy allows it.
    expect(await page.evaluate('getComputedStyle(document.querySelector("dl")).display')).toBe('grid')
    expect(await page.context().cookies()).toEqual([])
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'CSV' }).click(),
    ])
    expect(download.url()).toBe(`${world.base}${path}.csv`)
    await page.screenshot({
      path: process.env['BROADGAUGE_TEST_SCREENSHOT'] ?? '/dev/null',
      fullPage: true,
      type: 'png',
    })
    await page.context().close()
  })

  it('asks for its password as browsers do, and then shows everything', async () => {
    const path = await world.share({ password: 'correct horse battery' })
    const context = await browser.newContext({
      httpCredentials: { username: 'ada', password: 'correct horse battery' },
    })
    const page = await context.newPage()
    await page.goto(`${world.base}${path}`)
    expect(await widthOf(page)).toBe(960)
    await context.close()
    const { status, text } = await world.visit(path, { accept: 'text/html' })
    expect([status, text]).toEqual([401, expect.stringContaining('<h1>This link needs its password</h1>')])
  })
})

describe('a page of another site', () => {
  it('shows the SVG of a link as a picture, and offers its CSV, under a strict policy', async () => {
    const path = await world.share()
    sitePage = `<img src="${world.base}${path}.svg" alt="Speed"><a href="${world.base}${path}.csv">CSV</a>`
    const { page, asked, said } = await open(siteUrl)
    expect(asked).toEqual([siteUrl, `${world.base}${path}.svg`])
    expect(said).toEqual([])
    expect(await widthOf(page)).toBe(960)
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link').click()])
    expect(download.suggestedFilename()).toMatch(/\.csv$/)
    await page.context().close()
  })

  it('shows the page of a link in a frame only if the operator allows its origin', async () => {
    const path = await world.share()
    sitePage = `<iframe src="${world.base}${path}" width="900" height="900"></iframe>`
    const blocked = await open(siteUrl)
    expect(blocked.said.join()).toContain('frame-ancestors')
    expect(blocked.page.frames()[1]?.url()).not.toContain(path)
    await world.world.operate((operator) => changeFrameOrigins(operator, 'north', [new URL(siteUrl).origin]))
    const { page, said } = await open(siteUrl)
    expect(said).toEqual([])
    expect(await page.frames()[1]?.locator('h1').innerText()).toBe('Speed')
    await Promise.all([page.context().close(), blocked.page.context().close()])
  })
})

it('an SVG that is opened by itself shows its texts, runs nothing and requests nothing', async () => {
  const hostile = '<script>alert(1)</script>]]>&"\'{x|y}'
  await world.send('PUT', '/questions/hostile', {
    body: { ...question, name: hostile, request: { ...request, splits: ['target'] } },
  })
  const path = await world.share({}, { key: 'hostile' })
  const { page, asked, said } = await open(`${world.base}${path}.svg`)
  expect([asked, said]).toEqual([[`${world.base}${path}.svg`], []])
  expect(await page.locator('script').count()).toBe(0)
  const texts = await page.locator('text').allTextContents()
  expect(texts).toEqual(expect.arrayContaining([hostile, 'paris', 'london']))
  await page.context().close()
})
