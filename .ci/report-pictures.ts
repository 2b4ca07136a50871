/**
 * Draws the figures of the national report in docs/recipes.md from the responses of a running demo. Run `npm run demo` in one
 * terminal, and `node .ci/report-pictures.ts` in another. The requests are those of the page.
 */
import { mkdirSync, readFileSync } from 'node:fs'
import {
  between,
  blue,
  bold,
  bottom,
  grey,
  grid,
  height,
  left,
  orange,
  pale,
  path,
  rectangle,
  save,
  text,
  width,
} from './drawing.ts'

type Histogram = { counts: number[]; below: number; above: number }
type Comparison = { difference: number; low: number | null; high: number | null; verdict: string }
type Point = Record<string, unknown> & {
  metricValue: number
  agentCount: number
  ci95: number | null
  aggregatedNumber?: number
  percentiles?: Record<string, number>
  percentileIntervals?: Record<string, [number | null, number | null]>
  reachingShare?: number
  reachingLow?: number
  reachingHigh?: number
  histogram?: Histogram
  comparison?: Comparison | null
}
type Figure = { number: number; title: string; request: { metric: string; splits: string[] } }
type Bar = { value: number; low: number; high: number }

const demo: { dataBaseUrl: string; tokens: { data: string } } = JSON.parse(
  readFileSync('.broadgauge/demo.json', 'utf8'),
)
const headers = { authorization: demo.tokens.data, 'content-type': 'application/json' }

const figures: Figure[] = [
  ...readFileSync('docs/recipes.md', 'utf8').matchAll(/^### Figure (\d+)\. (.+)\n[^#]*?^```json\n([^`]+)^```/gm),
].map(([, number, title = '', request = '']) => ({ number: Number(number), title, request: JSON.parse(request) }))

async function ask({ request }: Figure): Promise<Point[]> {
  const body = JSON.stringify(request)
  const response = await fetch(`${demo.dataBaseUrl}/metric_data`, { method: 'POST', headers, body })
  if (!response.ok) throw new Error(`${body}: ${await response.text()}`)
  const { data } = (await response.json()) as { data: { metricData: Point[] }[] }
  return data.flatMap(({ metricData }) => metricData).filter((point) => point.agentCount > 0)
}

const colours = [blue, orange, '#0f766e', '#a21caf', '#4d7c0f', '#b91c1c', grey]
const colourOf = (index: number): string => colours[index % colours.length] ?? grey
function nameOf({ request }: Figure, point: Point): string {
  const name = point[request.splits[0] ?? '']
  return typeof name === 'string' ? name : 'not known'
}

/** Round values for a scale from `least` to `most`. */
function roundValues(least: number, most: number): number[] {
  const rough = (most - least) / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? rough
  const from = Math.floor(least / step)
  return Array.from({ length: Math.ceil(most / step) - from + 1 }, (_, index) =>
    Number(((from + index) * step).toPrecision(6)),
  )
}

type Column = { x: number; wide: number }

/** One column for each value of the first split, with its name and its number of homes as labels. */
function columnsOf(figure: Figure, points: readonly Point[]): { of: (point: Point) => Column; labels: string[] } {
  const groups = [...Map.groupBy(points, (point) => nameOf(figure, point))]
  const wide = (width - left - 12) / groups.length
  const xOf = (index: number): number => left + 4 + index * wide
  const labels = groups.flatMap(([name, found], index) => {
    const homes = Math.max(...found.map(({ agentCount }) => agentCount))
    const centre = xOf(index) + wide / 2
    return [
      text(centre, bottom + 14, name, 'text-anchor="middle"'),
      text(centre, height - 6, `${homes} homes`, 'text-anchor="middle"'),
    ]
  })
  const names = groups.map(([name]) => name)
  return { of: (point) => ({ x: xOf(names.indexOf(nameOf(figure, point))), wide }), labels }
}

const stroke = (x: number, from: number, to: number, colour: string): string =>
  path(
    [
      [x, from],
      [x, to],
    ],
    `stroke="${colour}" stroke-width="2"`,
  )

/** One bar with an interval for each point. Points of the same column stand side by side, one for each value of the second split. */
function drawBars(figure: Figure, points: readonly Point[], unit: string, barOf: (point: Point) => Bar): string[] {
  const columns = columnsOf(figure, points)
  const values = roundValues(0, Math.max(...points.map((point) => Math.max(barOf(point).value, barOf(point).high))))
  const y = between(0, values.at(-1) ?? 1, bottom, 34)
  const second = figure.request.splits[1]
  const kinds = second === undefined ? [''] : [...new Set(points.map((point) => String(point[second])))]
  const bars = points.flatMap((point) => {
    const column = columns.of(point)
    const kind = second === undefined ? 0 : kinds.indexOf(String(point[second]))
    const wide = (column.wide * 0.7) / kinds.length
    const x = column.x + column.wide * 0.15 + kind * wide
    const centre = x + (wide - 3) / 2
    const { value, low, high } = barOf(point)
    return [
      rectangle(x, y(value), wide - 3, bottom - y(value), kind === 0 ? blue : orange),
      stroke(centre, y(Math.max(low, 0)), y(high), grey),
      text(centre, y(Math.max(high, value)) - 5, value.toPrecision(3), 'text-anchor="middle"'),
    ]
  })
  const legend = kinds.map((kind, index) =>
    text(left + index * 90, 16, kind.replace('_', '-'), bold(index === 0 ? blue : orange)),
  )
  return [...grid(values, y, unit), ...bars, ...columns.labels, ...(second === undefined ? [] : legend)]
}

/** The shares of the homes in each band of a histogram, above one another. */
function drawBands(figure: Figure, points: readonly Point[], bands: Record<string, string>): string[] {
  const columns = columnsOf(figure, points)
  const y = between(0, 100, bottom, 30)
  const fills = Object.values(bands)
  const bars = points.flatMap((point) => {
    const { x, wide } = columns.of(point)
    const { below, counts, above } = point.histogram ?? { below: 0, counts: [], above: 0 }
    let sum = 0
    return [below, ...counts, above].map((count, index) => {
      const from = sum
      sum += (100 * count) / point.agentCount
      return rectangle(x + wide * 0.15, y(sum), wide * 0.7, y(from) - y(sum), fills[index] ?? grey)
    })
  })
  const legend = Object.entries(bands).flatMap(([band, fill], index) => [
    rectangle(left + index * 150, 7, 10, 10, fill),
    text(left + index * 150 + 14, 16, band),
  ])
  return [...grid([0, 25, 50, 75, 100], y, '%'), ...bars, ...columns.labels, ...legend]
}

/** A line by hour of the day for each series. */
function drawHours(figure: Figure, points: readonly Point[]): string[] {
  const series = [...Map.groupBy(points, (point) => nameOf(figure, point))]
  const found = points.map(({ metricValue }) => metricValue)
  const values = roundValues(Math.min(...found), Math.max(...found))
  const x = between(0, 24, left, width - 130)
  const y = between(values[0] ?? 0, values.at(-1) ?? 1, bottom, 16)
  const lines = series.flatMap(([name, of], index) => [
    path(
      of.map(({ aggregatedNumber = 0, metricValue }) => [x(aggregatedNumber + 0.5), y(metricValue)]),
      `fill="none" stroke="${colourOf(index)}" stroke-width="2"`,
    ),
    text(width - 122, 22 + index * 16, name, bold(colourOf(index))),
  ])
  const hours = [0, 4, 8, 12, 16, 20, 24].map((hour) =>
    text(x(hour), bottom + 14, `${hour}:00`, 'text-anchor="middle"'),
  )
  return [...grid(values, y, '%'), ...lines, ...hours, text(left, height - 6, 'local hour of the day')]
}

/** The interval of each difference. The colour shows the verdict. */
function drawDifferences(figure: Figure, points: readonly Point[], unit: string): string[] {
  const columns = columnsOf(figure, points)
  const compared = points.flatMap((point) => (point.comparison ? [{ point, ...point.comparison }] : []))
  const values = roundValues(
    Math.min(0, ...compared.map(({ low, difference }) => low ?? difference)),
    Math.max(0, ...compared.map(({ high, difference }) => high ?? difference)),
  )
  const y = between(values[0] ?? 0, values.at(-1) ?? 1, bottom, 30)
  const marks = compared.flatMap(({ point, difference, low, high, verdict }) => {
    const { x, wide } = columns.of(point)
    const centre = x + wide / 2
    const colour = { higher: orange, lower: blue }[verdict] ?? grey
    return [
      stroke(centre, y(low ?? difference), y(high ?? difference), colour),
      `<circle cx="${centre.toFixed(1)}" cy="${y(difference).toFixed(1)}" r="4" fill="${colour}"/>`,
    ]
  })
  const legend = [
    text(left, 16, 'higher', bold(orange)),
    text(left + 60, 16, 'lower', bold(blue)),
    text(left + 110, 16, 'not distinguishable', bold(grey)),
  ]
  return [...grid(values, y, unit), ...marks, ...columns.labels, ...legend]
}

const mean = ({ metricValue, ci95 }: Point): Bar => ({
  value: metricValue,
  low: metricValue - (ci95 ?? 0),
  high: metricValue + (ci95 ?? 0),
})
const percentile =
  (key: string) =>
  ({ percentiles, percentileIntervals }: Point): Bar => {
    const value = percentiles?.[key] ?? 0
    const [low, high] = percentileIntervals?.[key] ?? [null, null]
    return { value, low: low ?? value, high: high ?? value }
  }
const reached = ({ reachingShare = 0, reachingLow = 0, reachingHigh = 0 }: Point): Bar => ({
  value: reachingShare,
  low: reachingLow,
  high: reachingHigh,
})
const planBands = { 'below 80 %': orange, '80 to 95 %': pale, 'above 95 %': blue }
const lossBands = { 'below 0.4 %': blue, '0.4 to 1 %': pale, 'above 1 %': orange }

const drawings: Record<number, (figure: Figure, points: readonly Point[]) => string[]> = {
  1: (figure, points) => drawBars(figure, points, '%', percentile('50')),
  2: (figure, points) => drawBars(figure, points, '%', percentile('20')),
  3: (figure, points) => drawBands(figure, points, planBands),
  4: (figure, points) => drawBands(figure, points, lossBands),
  5: (figure, points) => drawBars(figure, points, 'ms', percentile('50')),
  6: drawHours,
  7: (figure, points) => drawBars(figure, points, 'Mbit/s', mean),
  8: (figure, points) => drawBars(figure, points, '%', mean),
  9: (figure, points) => drawBars(figure, points, '%', reached),
  10: (figure, points) => drawDifferences(figure, points, 'ms'),
}

mkdirSync('docs/images/report', { recursive: true })
for (const figure of figures) {
  const draw = drawings[figure.number]
  if (draw === undefined) throw new Error(`There is no drawing for figure ${figure.number}.`)
  save(`report/figure-${figure.number}`, figure.title, draw(figure, await ask(figure)))
}
console.log(`${figures.length} figures`)
