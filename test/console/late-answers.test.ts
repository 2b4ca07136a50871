import type { Page, Request } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { measured, openConsoleWorld, signIn, type ConsoleWorld } from './console-world.ts'
import { holdAnswers } from './held-answers.ts'
import { seriousFindings } from './serious-findings.ts'

let world: ConsoleWorld

beforeAll(async () => {
  world = await openConsoleWorld({ agents: 10, days: 10 })
}, 120_000)

afterAll(() => world.close())

const isMetricData = (request: Request) => request.url().endsWith('/metric_data')

it('draws a response with its own name and unit while another is awaited, and says so next to its text', async () => {
  const { page, complaints, close } = await world.visit(`#/explore?metric=latency&aggregation=daily&${measured}`)
  await signIn(page, world.tokens)
  const caption = page.locator('.caption h2')
  const chart = page.getByRole('application')
  const answer = page.getByRole('tabpanel')
  await page.getByRole('tab', { name: 'Answer' }).click()
  await answer.getByText('points, all of them').waitFor()
  const [name, label, text] = [await caption.innerText(), await chart.getAttribute('aria-label'), await textOf(page)]
  expect(await answer.innerText()).not.toContain('the previous request')
  const answers = await holdAnswers(page, isMetricData)
  await page.locator('#metric').selectOption('httpget')
  await answers.arrived(1)
  expect(await caption.innerText()).toBe(name)
  expect(await chart.getAttribute('aria-label')).toBe(label)
  expect(await textOf(page)).toBe(text)
  expect(await answer.innerText()).toContain('From the previous request')
  await answers.release(0)
  await expect.poll(() => caption.innerText()).toContain('(Mbit/s)')
  expect(await textOf(page)).not.toBe(text)
  expect(await answer.innerText()).not.toContain('the previous request')
  expect(complaints).toEqual([])
  await close()
})

const textOf = (page: Page) => page.getByRole('tabpanel').locator('pre').innerText()

it('says that records are from the previous request once the form differs, and names their file after it', async () => {
  const { page, complaints, close } = await world.visit('#/test-data?test=latency&from=2026-04-14&to=2026-04-15')
  await signIn(page, world.tokens)
  const show = page.getByRole('button', { name: 'Show records' })
  const savedName = async () => {
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save these rows as CSV' }).click()
    return (await saved).suggestedFilename()
  }
  await show.click()
  await page.getByText(', all there are').waitFor()
  const notice = page.getByText('is from the previous request')
  expect(await notice.count()).toBe(0)
  await page.locator('#test').selectOption('httpget')
  expect(await savedName()).toBe('latency.csv')
  expect(await notice.innerText()).toContain('latency, 2026-04-14 to 2026-04-15')
  expect(await seriousFindings(page)).toEqual([])
  await show.click()
  await notice.waitFor({ state: 'detached' })
  expect(await savedName()).toBe('httpget.csv')
  expect(complaints).toEqual([])
  await close()
})

it('says that the request was stopped before a record had arrived, not that there is none', async () => {
  const { page, complaints, close } = await world.visit('#/test-data?test=latency&from=2026-04-14&to=2026-04-15')
  await signIn(page, world.tokens)
  const answers = await holdAnswers(page, (request) => request.url().endsWith('/test_data'))
  await page.getByRole('button', { name: 'Show records' }).click()
  await answers.arrived(1)
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('No record had arrived yet').waitFor()
  expect(await page.getByText('Nothing was measured').count()).toBe(0)
  // The page has sent no second request: the click did not also press the button `Show records`, which appears in the
  // place of `Stop`.
  await answers.arrived(1)
  expect(complaints).toEqual([])
  await close()
})

it('says that a response broke off, not that the address is wrong', async () => {
  const { page, close } = await world.visit(`#/explore?metric=latency&aggregation=daily&${measured}`)
  await signIn(page, world.tokens)
  await page.getByRole('application').waitFor()
  await page.evaluate(() => {
    const bare = globalThis.fetch
    globalThis.fetch = async (address, options) => {
      if (typeof address !== 'string' || !address.endsWith('/metric_data')) return bare(address, options)
      // If the connection is reset during a response, the browser reports this error.
      const pull = (controller: ReadableStreamDefaultController) => controller.error(new TypeError('network error'))
      return new Response(new ReadableStream({ pull }))
    }
  })
  await page.locator('#metric').selectOption('httpget')
  await page.getByText('The answer broke off before its end.').waitFor()
  expect(await page.getByText('is the address right').count()).toBe(0)
  await close()
})

const raw = 'chart=raw&from=2026-04-14 00:00:00&to=2026-04-15 23:59:59'

/** Delays the second half of every metric response until the test calls `finish`. */
const holdSecondHalf = (page: Page) =>
  page.evaluate(() => {
    const kept = globalThis as unknown as { finish: () => void }
    const bare = globalThis.fetch
    globalThis.fetch = async (address, options) => {
      const response = await bare(address, options)
      if (typeof address !== 'string' || !address.endsWith('/metric_data')) return response
      const bytes = new Uint8Array(await response.arrayBuffer())
      const half = Math.floor(bytes.length / 2)
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          controller.enqueue(bytes.slice(0, half))
          kept.finish = () => {
            controller.enqueue(bytes.slice(half))
            controller.close()
          }
        },
      })
      return new Response(body, { status: response.status })
    }
  })

it('saves single results only when all of them have arrived', async () => {
  const { page, complaints, close } = await world.visit(`#/explore?metric=latency&view=table&${raw}`)
  await holdSecondHalf(page)
  await signIn(page, world.tokens)
  const save = page.getByRole('button', { name: 'Save these rows as CSV' })
  await save.waitFor()
  expect(await page.getByRole('status').allInnerTexts()).toContainEqual(expect.stringMatching(/\d results so far …/))
  expect(await save.isDisabled()).toBe(true)
  await page.evaluate(() => (globalThis as unknown as { finish: () => void }).finish())
  await page.getByText('results, all there are').waitFor()
  expect(await save.isDisabled()).toBe(false)
  expect(complaints).toEqual([])
  await close()
})

it('keeps the name and the unit of single results until others are requested', async () => {
  const { page, close } = await world.visit(`#/explore?metric=latency&${raw}`)
  await signIn(page, world.tokens)
  await page.getByText('results, all there are').waitFor()
  const label = await page.getByRole('application').getAttribute('aria-label')
  // Choose the metric and read the label in one call of `evaluate`. Soon after the choice, the page removes the dots of
  // the first metric from the chart.
  const afterwards = await page.evaluate(async () => {
    const metric = document.querySelector<HTMLSelectElement>('#metric')
    if (metric !== null) metric.value = 'httpget'
    metric?.dispatchEvent(new Event('change', { bubbles: true }))
    await new Promise((resolve) => setTimeout(resolve))
    const request = document.querySelector('.request pre')?.textContent ?? ''
    return { request, label: document.querySelector('.plot')?.getAttribute('aria-label') }
  })
  expect(afterwards.request).toContain('"httpget"')
  expect(afterwards.label).toBe(label)
  await close()
})
