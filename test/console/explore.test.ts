import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { measured, openConsoleWorld, signIn, type ConsoleWorld, type Plotted } from './console-world.ts'

let world: ConsoleWorld

beforeAll(async () => {
  world = await openConsoleWorld()
}, 120_000)

afterAll(() => world.close())

type Point = { dtime: string; metricValue: number; ci95: number | null; sampleCount: number; agentCount: number }
type Answer = { data: { metricData: Point[] }[] }

/**
 * Opens the page Explore with the given query parameters and signs in. Returns the page and the response that the page
 * draws.
 */
async function explore(place: string) {
  const { page, complaints, close } = await world.visit(`#/explore?${place}`)
  // Read the body at once. The browser may discard it when the page sends the next request.
  const answered = page
    .waitForResponse((response) => response.url().endsWith('/metric_data'))
    .then((response) => response.json() as Promise<Answer>)
  await signIn(page, world.tokens)
  const answer = await answered
  return { page, answer, complaints, close }
}

const drawnIn = (page: Page) =>
  page.locator('.plot').evaluate((element) => {
    const { plot } = element as Plotted
    return {
      data: plot.data.map((values) => [...values]),
      labels: plot.series.map(({ label }) => (typeof label === 'string' ? label : '')),
    }
  })

it('draws exactly the points of the response, with their intervals, and gaps where there are none', async () => {
  const { page, answer, complaints, close } = await explore(
    `metric=latency&aggregation=six_hourly&split=base&${measured}`,
  )
  await page.locator('.plot canvas').waitFor()
  const { data } = await drawnIn(page)
  const [buckets = [], ...lines] = data
  const seconds = (dtime: string) => Date.parse(`${dtime}Z`) / 1000
  const expected = answer.data.flatMap(({ metricData }) => {
    const at = new Map(metricData.map((point) => [seconds(point.dtime), point]))
    const line = (value: (point: Point) => number | null) =>
      buckets.map((bucket) => (at.has(bucket ?? 0) ? value(at.get(bucket ?? 0) as Point) : null))
    const edge = (sign: number) => line(({ metricValue, ci95 }) => (ci95 === null ? null : metricValue + sign * ci95))
    return [line(({ metricValue }) => metricValue), edge(1), edge(-1)]
  })
  // The page draws confidence intervals only if there are at most six lines. The expected data above contain intervals.
  expect(answer.data.length).toBeGreaterThan(1)
  expect(answer.data.length).toBeLessThanOrEqual(6)
  expect(lines).toEqual(expected)
  expect(lines.flat().filter((value) => value !== null).length).toBeGreaterThan(30)
  expect(complaints).toEqual([])
  await close()
})

it('paints a point at its value on the axes', async () => {
  const { page, close } = await explore(`metric=latency&aggregation=daily&${measured}`)
  await page.locator('.plot canvas').waitFor()
  const painted = await page.locator('.plot').evaluate((element) => {
    const { plot } = element as Plotted
    const [, line] = plot.series as unknown as { stroke: () => string }[]
    const stroke = line?.stroke() ?? ''
    const wanted = stroke.match(/\d+/g)?.map(Number)
    return Array.from(plot.data[1] ?? []).map((value, at) => {
      const left = Math.round(plot.valToPos(plot.data[0][at] ?? 0, 'x', true))
      const top = Math.round(plot.valToPos(value ?? 0, 'y', true))
      const { data } = plot.ctx.getImageData(left - 4, top - 4, 9, 9)
      const pixels = Array.from({ length: 81 }, (_, pixel) => Array.from(data.slice(pixel * 4, pixel * 4 + 3)))
      return pixels.some((pixel) => pixel.every((part, index) => Math.abs(part - (wanted?.[index] ?? -99)) < 24))
    })
  })
  expect(painted.length).toBe(10)
  expect(painted).not.toContain(false)
  await close()
})

it('draws the percentiles of the response as nested bands around the median', async () => {
  const { page, answer, close } = await explore(`metric=latency&aggregation=day_of_week&view=percentiles&${measured}`)
  await page.locator('.plot canvas').waitFor()
  const { data } = await drawnIn(page)
  const points = answer.data[0]?.metricData as unknown as {
    aggregatedNumber: number
    percentiles: Record<string, number>
  }[]
  const levels = ['99', '1', '95', '5', '90', '10', '75', '25', '50']
  expect(points.length).toBe(7)
  expect(data).toEqual([
    points.map(({ aggregatedNumber }) => aggregatedNumber),
    ...levels.map((level) => points.map(({ percentiles }) => percentiles[level])),
  ])
  await close()
})

it('reads points with arrow keys: value, interval, number of results and agents', async () => {
  const { page, answer, close } = await explore(`metric=httpget&aggregation=daily&${measured}`)
  await page.locator('.plot canvas').waitFor()
  const chart = page.getByRole('application')
  await chart.focus()
  await chart.press('ArrowRight')
  await chart.press('ArrowRight')
  const point = answer.data[0]?.metricData[1] as Point
  const text = (await page.locator('.readout').innerText()).replaceAll(',', '')
  expect(text).toContain('Tue 7 Apr 2026')
  expect(text).toContain(`${Number(point.metricValue.toPrecision(4))} ± ${Number(point.ci95?.toPrecision(4))} Mbit/s`)
  expect(text).toContain(`n ${point.sampleCount} ${point.agentCount} agents`)
  await close()
})

it('sends a new request when controls change, keeps the state in the address, and shows the request', async () => {
  const { page, complaints, close } = await explore(`metric=httpget&aggregation=daily&${measured}`)
  await page.locator('.plot canvas').waitFor()
  const asked = page.waitForRequest(
    (request) => request.url().endsWith('/metric_data') && (request.postData() ?? '').includes('"Acme Broadband"'),
  )
  await page.getByLabel('Points', { exact: true }).selectOption('hour_of_day')
  await page.getByLabel('Normalise').check()
  await page.getByLabel('Add a split').selectOption('isp')
  await page.getByLabel('Add a filter').selectOption('isp')
  const values = page.getByRole('combobox', { name: 'Add a value of ISP' })
  await values.fill('ACME')
  await page.getByRole('option', { name: 'Acme Broadband' }).waitFor()
  await values.press('ArrowDown')
  await values.press('Enter')
  const body: unknown = (await asked).postDataJSON()
  expect(body).toEqual({
    metric: 'httpget',
    chartType: 'aggregate',
    aggregation: 'hour_of_day',
    normalised: true,
    prefilter: true,
    splits: ['isp'],
    filters: [{ id: 'isp', filterType: 'include', filterValues: ['Acme Broadband'] }],
    time: { from: '2026-04-06 00:00:00', to: '2026-04-15 23:59:59' },
  })
  await page.locator('[aria-busy="false"] .plot').waitFor()
  expect(JSON.parse(await page.getByRole('tabpanel').locator('pre').innerText())).toEqual(body)

  const again = page.waitForRequest((request) => request.url().endsWith('/metric_data'))
  await page.reload()
  expect((await again).postDataJSON()).toEqual(body)
  expect(complaints).toEqual([])
  await close()
})

it('shows a curl command that gives the drawn response when it is run unchanged', async () => {
  const { page, answer, close } = await explore(`metric=httpget&aggregation=total&split=isp&${measured}`)
  await page.getByRole('tab', { name: 'curl' }).click()
  const command = await page.getByRole('tabpanel').locator('pre').innerText()
  const { stdout } = await promisify(execFile)('sh', ['-c', command], {
    env: { ...process.env, TOKEN: world.tokens.data },
  })
  expect(JSON.parse(stdout)).toEqual(answer)
  const bars = await page.locator('.bars .bar-name').allInnerTexts()
  expect(bars.length).toBe(answer.data.length)
  await close()
})

it("shows next to the field the service's fault, and what to do", async () => {
  const { page, close } = await explore(
    'metric=httpget&aggregation=daily&from=2026-04-15 00:00:00&to=2026-04-01 00:00:00',
  )
  const alert = page.getByRole('alert')
  await alert.waitFor()
  expect(await alert.innerText()).toContain('VALIDATION_FAIL')
  expect(await page.locator('fieldset', { hasText: 'Range' }).locator('.field-error').innerText()).not.toBe('')
  await page.getByLabel('To, included').fill('2026-04-16T00:00:00')
  await page.locator('.plot canvas').waitFor()
  expect(await alert.count()).toBe(0)
  await close()
})

it('keeps many lines legible: the ten with the most results first, the others by name', async () => {
  const { page, answer, close } = await explore(`metric=latency&aggregation=daily&split=agent&${measured}`)
  await page.locator('.plot canvas').waitFor()
  expect(answer.data.length).toBeGreaterThan(20)
  expect((await drawnIn(page)).labels.length).toBe(11)
  const [name = ''] = (await page.locator('.legend li').last().innerText()).split(' n ')
  await page.getByLabel('Search the lines').fill(name.trim())
  await page.locator('.legend').getByRole('checkbox', { name: name.trim() }).check()
  expect((await drawnIn(page)).labels).toContain(name.trim())
  await close()
})

it('draws every single result as a dot at its position, and nothing else', async () => {
  const raw = 'from=2026-04-14 00:00:00&to=2026-04-15 23:59:59'
  const { page, complaints, close } = await world.visit(`#/explore?metric=httpget&chart=raw&split=isp&${raw}`)
  const asked = page.waitForRequest((request) => request.url().endsWith('/metric_data'))
  await signIn(page, world.tokens)
  const body: unknown = (await asked).postDataJSON()
  expect(body).toEqual({
    metric: 'httpget',
    chartType: 'raw',
    normalised: false,
    prefilter: true,
    splits: ['isp'],
    time: { from: '2026-04-14 00:00:00', to: '2026-04-15 23:59:59' },
  })
  await page.getByText('results, all there are').waitFor()
  const { data, labels } = await drawnIn(page)
  const answered = await fetch(`${world.api}/metric_data`, {
    method: 'POST',
    headers: { authorization: world.tokens.data, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  type Raw = { dtime: string; metricValue: number; isp: string | null }
  const points = ((await answered.json()) as { data: { metricData: Raw[] }[] }).data[0]?.metricData ?? []
  expect(points.length).toBeGreaterThan(100)
  const [times = [], ...columns] = data
  const drawn = columns.flatMap((values, column) =>
    values.flatMap((value, at) => (value === null ? [] : [`${labels[column + 1]} ${times[at]} ${value}`])),
  )
  const expected = points.map(
    ({ dtime, metricValue, isp }) => `${isp ?? '(none)'} ${Date.parse(`${dtime}Z`) / 1000} ${metricValue}`,
  )
  expect(drawn.toSorted()).toEqual(expected.toSorted())
  const chart = page.getByRole('application')
  await chart.focus()
  await chart.press('ArrowRight')
  expect(await page.locator('.readout').innerText()).toContain('agent synthetic-')
  await page.getByRole('radio', { name: 'Table' }).check()
  expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe(String(points.length + 1))
  expect(complaints).toEqual([])
  await close()
})

it('offers the panels by name, and TypeScript that runs unchanged with the client', async () => {
  const { page, answer, close } = await explore(`metric=httpget&aggregation=total&split=isp&${measured}`)
  const asked = page.waitForRequest((request) => (request.postData() ?? '').includes('"panel":["synthetic"]'))
  await page.getByLabel('Add a panel').selectOption('synthetic')
  await asked
  await page.getByRole('button', { name: /Remove the panel/ }).click()
  await page.getByRole('tab', { name: 'TypeScript' }).click()
  const program = await page.getByRole('tabpanel').locator('pre').innerText()
  expect(program).toContain(`from '@broadgauge/client'`)
  const local = program.replace(
    '@broadgauge/client',
    new URL('../../clients/typescript/src/index.ts', import.meta.url).href,
  )
  const printed = local.replace('console.log(series)', 'console.log(JSON.stringify(series))')
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module-typescript', '-e', printed], {
    env: { ...process.env, TOKEN: world.tokens.data },
  })
  expect(JSON.parse(stdout)).toEqual(answer.data)
  await close()
})

it.each(['', '&chart=raw'])(
  'warns that nothing has the value of a filter, also for single results%s',
  async (points) => {
    const filter = encodeURIComponent(JSON.stringify(['isp', 'exclude', 'Nobody']))
    const { page, complaints, close } = await world.visit(
      `#/explore?metric=latency&filter=${filter}&${measured}${points}`,
    )
    await signIn(page, world.tokens)
    const notice = page.getByRole('status').filter({ hasText: 'No agent or result you can see has this value.' })
    await notice.waitFor()
    expect(await notice.innerText()).toContain('isp “Nobody”')
    expect(complaints).toEqual([])
    await close()
  },
)

it("shows how many results the prefilter excludes, with the service's own numbers", async () => {
  const { page, close } = await explore(`metric=httpget&aggregation=daily&${measured}`)
  const samples = async (prefilter: boolean) => {
    const body = {
      metric: 'httpget',
      chartType: 'aggregate',
      aggregation: 'total',
      normalised: false,
      prefilter,
      time: { from: '2026-04-06 00:00:00', to: '2026-04-15 23:59:59' },
    }
    const headers = { authorization: world.tokens.data, 'content-type': 'application/json' }
    const response = await fetch(`${world.api}/metric_data`, { method: 'POST', headers, body: JSON.stringify(body) })
    return ((await response.json()) as Answer).data[0]?.metricData[0]?.sampleCount ?? 0
  }
  await page.getByRole('button', { name: 'What does this exclude?' }).click()
  const said = await page.getByText(/it leaves out/).innerText()
  const [all, kept] = [await samples(false), await samples(true)]
  expect(said).toContain(`Of ${all.toLocaleString('en')} results it leaves out ${(all - kept).toLocaleString('en')}`)
  await close()
})

it('shows the points of a preset as a table with the numbers of the answer', async () => {
  const { page, complaints, close } = await explore(`metric=httpget&aggregation=total&split=isp&${measured}`)
  const answered = page.waitForResponse((response) =>
    (response.request().postData() ?? '').includes('"preset":"caf.80-80"'),
  )
  await page.getByLabel('Published statistic').selectOption('caf.80-80')
  const body = (await (await answered).json()) as Answer
  await page.getByRole('heading', { name: 'Connect America Fund 80/80' }).waitFor()
  const points = body.data.flatMap(({ metricData }) => metricData) as unknown as Record<string, unknown>[]
  expect(points.length).toBeGreaterThan(1)
  const table = page.getByRole('table', { name: 'Every point' })
  const titles = await table.getByRole('columnheader').allInnerTexts()
  const shown = await table.getByRole('row').nth(1).getByRole('cell').allInnerTexts()
  const histogram = points[0]?.['histogram']
  expect(histogram).toMatchObject({ edges: [80] })
  expect(JSON.parse(shown[titles.indexOf('histogram')] ?? '')).toEqual(histogram)
  expect(await page.getByText('Divide above by sampleCount').count()).toBe(1)
  expect(await page.getByRole('radiogroup', { name: 'View' }).count()).toBe(0)
  expect(await page.getByRole('button', { name: 'What does this exclude?' }).count()).toBe(0)

  // A metric that the preset is not for removes the preset. The preset is then not offered either.
  await page.getByLabel('Metric', { exact: true }).selectOption('latency')
  await page.locator('.bars').waitFor()
  expect(await page.getByLabel('Published statistic').count()).toBe(0)
  expect(page.url()).not.toContain('preset')
  expect(complaints).toEqual([])
  await close()
})
