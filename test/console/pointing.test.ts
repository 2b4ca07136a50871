import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { measured, openConsoleWorld, signIn, type ConsoleWorld, type Plotted } from './console-world.ts'

let world: ConsoleWorld

beforeAll(async () => {
  world = await openConsoleWorld({ agents: 6, days: 3, tests: ['latency'] })
}, 120_000)

afterAll(() => world.close())

const result = (time: string, agent: string, metricValue: number) => ({
  dtime: `2026-04-14T${time}`,
  agent,
  unit: null,
  metricValue,
})

/**
 * Three results with the same second in the middle of the range, and two results with the same second at the end of the
 * range.
 */
const results = [
  result('10:00:00', 'anna', 10),
  result('12:00:00', 'bert', 10),
  result('12:00:00', 'cleo', 50),
  result('12:00:00', 'dora', 90),
  result('14:00:00', 'emil', 20),
  result('14:00:00', 'fred', 80),
]
const allAgents = results.map(({ agent }) => agent)

async function openDots() {
  const { page, complaints, close } = await world.visit('#/explore?metric=latency&chart=raw')
  const answer = { code: 'OK', message: 'Request successful', data: [{ metricData: results }] }
  await page.route('**/metric_data', (route) => route.fulfill({ json: answer }))
  await signIn(page, world.tokens)
  await page.getByText('6 results, all there are').waitFor()
  await page.locator('.plot canvas').waitFor()
  return { page, complaints, close }
}

const agentRead = async (page: Page) => /agent (\w+)/.exec(await page.locator('.readout').innerText())?.[1]

it('reads every result with arrow keys, in both directions, also those of the same second', async () => {
  const { page, complaints, close } = await openDots()
  const chart = page.getByRole('application')
  await chart.focus()
  const read = async (key: string) => {
    await chart.press(key)
    return agentRead(page)
  }
  const there: (string | undefined)[] = []
  for (const _ of allAgents) there.push(await read('ArrowRight'))
  expect(there).toEqual(allAgents)
  expect(await read('ArrowRight')).toBe('fred')
  const back: (string | undefined)[] = []
  for (const _ of allAgents.slice(1)) back.push(await read('ArrowLeft'))
  expect(back).toEqual(allAgents.slice(0, -1).toReversed())
  expect(await read('ArrowLeft')).toBe('anna')
  expect(complaints).toEqual([])
  await close()
})

/** The screen position of the dot with the index `at`. */
const placeOf = (page: Page, at: number) =>
  page.locator('.plot').evaluate((element, index) => {
    const { plot } = element as Plotted
    const { left, top } = plot.over.getBoundingClientRect()
    const x = left + plot.valToPos(plot.data[0][index] ?? 0, 'x')
    return { x, y: top + plot.valToPos(plot.data[1]?.[index] ?? 0, 'y') }
  }, at)

it('reads the dot at the mouse, also with others above and below it, and continues from there by keys', async () => {
  const { page, close } = await openDots()
  for (const [at, agent] of allAgents.entries()) {
    const { x, y } = await placeOf(page, at)
    // Point next to the dot, but inside the chart.
    await page.mouse.move(at === 0 ? x + 3 : x - 3, y + 2)
    await expect.poll(() => agentRead(page)).toBe(agent)
  }
  const { x, y } = await placeOf(page, 2)
  await page.mouse.move(x - 3, y)
  await expect.poll(() => agentRead(page)).toBe('cleo')
  await page.getByRole('application').press('ArrowRight')
  expect(await agentRead(page)).toBe('dora')
  await close()
})

it('paints all results of the last second', async () => {
  const { page, close } = await openDots()
  const drawn = await page.locator('.plot').evaluate((element) => (element as Plotted).plot.series[0]?.idxs)
  expect(drawn).toEqual([0, results.length - 1])
  await close()
})

it('keeps an interval that is wider than its mean inside the bar', async () => {
  type Answer = { data: { metricData: { metricValue: number; ci95: number }[] }[] }
  const { page, close } = await world.visit(`#/explore?metric=latency&aggregation=total&${measured}`)
  await page.route('**/metric_data', async (route) => {
    const response = await route.fetch()
    const json = (await response.json()) as Answer
    for (const point of json.data.flatMap(({ metricData }) => metricData)) point.ci95 = 3 * point.metricValue
    await route.fulfill({ response, json })
  })
  await signIn(page, world.tokens)
  const edges = (place: string) =>
    page.locator(place).evaluate((element) => {
      const { left, right } = element.getBoundingClientRect()
      return { left: Math.round(left), right: Math.round(right) }
    })
  await page.locator('.bar .interval').waitFor()
  expect(await edges('.bar .interval')).toEqual(await edges('.bar'))
  await close()
})
