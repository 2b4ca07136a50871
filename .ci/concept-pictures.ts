/**
 * Draws the pictures of docs/concepts.md from the responses of a running demo. Run `npm run demo` in one terminal, and `node
 * .ci/concept-pictures.ts` in another. The panel is synthetic, but the service has computed all numbers in the pictures.
 */
import { readFileSync } from 'node:fs'
import {
  createClient,
  type AggregatedPoint,
  type AggregateRequest,
  type RawPoint,
} from '../clients/typescript/src/index.ts'
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

type Demo = { dataBaseUrl: string; tokens: { data: string } }
type Percentile = keyof NonNullable<AggregatedPoint['percentiles']>

const demo: Demo = JSON.parse(readFileSync('.broadgauge/demo.json', 'utf8'))
const client = createClient({ url: demo.dataBaseUrl, token: demo.tokens.data })
const lastMonth = { time: { from: '-30 days', to: 'now' }, panel: 'national', prefilter: true }

type Question = Pick<AggregateRequest, 'metric' | 'aggregation'> & Partial<AggregateRequest>

async function ask(question: Question): Promise<AggregatedPoint[]> {
  const series = await client.metricData({ normalised: false, ...lastMonth, ...question })
  return series.flatMap(({ metricData }) => metricData)
}

/**
 * Shows why normalisation is useful. Most results are from the evening, when lines are slow. So the plain mean mostly
 * describes evenings.
 */
async function drawNormalisation(): Promise<void> {
  const hours = await ask({ metric: 'httpget', aggregation: 'hour_of_day' })
  const [plain] = await ask({ metric: 'httpget', aggregation: 'total' })
  const [even] = await ask({ metric: 'httpget', aggregation: 'total', normalised: true })
  const [fair, biased] = [Number(even?.metricValue), Number(plain?.metricValue)]
  const most = Math.max(...hours.map(({ sampleCount }) => sampleCount))
  const top = Math.ceil(Math.max(...hours.map(({ metricValue }) => Number(metricValue))) / 100) * 100
  const x = between(0, 24, left, width - 8)
  const y = between(0, top, bottom, 24)
  const mean = (value: number, colour: string, words: string) =>
    path(
      [
        [left, y(value)],
        [width - 8, y(value)],
      ],
      `stroke="${colour}" stroke-dasharray="5 4"`,
    ) + words
  save('normalisation', 'Download speed by hour of the day, and its mean with and without normalisation', [
    ...hours.map(({ aggregatedNumber = 0, sampleCount }) => {
      const high = (sampleCount / most) * 70
      return rectangle(x(aggregatedNumber) + 2, bottom - high, x(1) - x(0) - 4, high, pale)
    }),
    ...grid([0, top / 2, top], y, 'Mbit/s'),
    path(
      hours.map(({ aggregatedNumber = 0, metricValue }) => [x(aggregatedNumber + 0.5), y(Number(metricValue))]),
      `fill="none" stroke="${grey}" stroke-width="2"`,
    ),
    mean(fair, blue, text(width - 10, y(fair) - 6, `normalised mean: ${fair.toFixed(1)} Mbit/s`, bold(blue, 'end'))),
    mean(biased, orange, text(left + 6, y(biased) + 15, `plain mean: ${biased.toFixed(1)} Mbit/s`, bold(orange))),
    ...[0, 6, 12, 18, 20, 22].map((hour) => text(x(hour), bottom + 14, `${hour}:00`)),
    text(left, height - 6, 'hour of the local day; bars: how many results fall into it'),
  ])
}

/** Shows the meaning of a point's percentiles and confidence interval, for each day. */
async function drawSpread(): Promise<void> {
  const days = await ask({ metric: 'latency', aggregation: 'daily', normalised: true })
  const at = (key: Percentile) => (point: AggregatedPoint) => Number(point.percentiles?.[key])
  const top = Math.ceil(Math.max(...days.map(at(95))) / 20) * 20
  const x = between(0, days.length - 1, left + 6, width - 16)
  const y = between(0, top, bottom, 16)
  const line = (of: (point: AggregatedPoint) => number) =>
    days.map((day, index): [number, number] => [x(index), y(of(day))])
  const band = (low: Percentile, high: Percentile, fill: string) =>
    path([...line(at(low)), ...line(at(high)).toReversed()], `fill="${fill}"`)
  save('spread', 'Latency by day: percentiles, median, and the mean with its interval', [
    band(5, 95, '#eff6ff'),
    band(25, 75, pale),
    ...grid([0, top / 2, top], y, 'ms'),
    path(line(at(50)), `fill="none" stroke="${blue}" stroke-width="2"`),
    ...days.map(({ metricValue, ci95 }, index) => {
      const [value, half] = [Number(metricValue), Number(ci95)]
      return path(
        [
          [x(index), y(value - half)],
          [x(index), y(value + half)],
        ],
        `stroke="${orange}" stroke-width="3"`,
      )
    }),
    ...[0, Math.floor(days.length / 2), days.length - 1].map((index) =>
      text(
        x(index),
        bottom + 14,
        days[index]?.dtime ?? '',
        index === 0 ? '' : `text-anchor="${index === days.length - 1 ? 'end' : 'middle'}"`,
      ),
    ),
    text(left, height - 6, 'bands: percentiles 5 to 95 and 25 to 75; line: median; strokes: mean ± ci95'),
  ])
}

/**
 * Shows an agent whose package has changed. Each result belongs to the package that the agent had when the result was
 * measured.
 */
async function drawTimeline(): Promise<void> {
  const groups = await ask({ metric: 'httpget', aggregation: 'total', splits: ['agent', 'package'] })
  const packages = Map.groupBy(groups, (group) => String((group as Record<string, unknown>)['agent']))
  const enough = ([, found]: [string, AggregatedPoint[]]) =>
    found.length === 2 && found.every(({ sampleCount }) => sampleCount > 60)
  const [agent] = [...packages].find(enough) ?? []
  if (agent === undefined) throw new Error('no agent of the panel has changed its package')
  const filters = [{ id: 'agent', filterType: 'include' as const, filterValues: [agent] }]
  const request = { metric: 'httpget' as const, normalised: false, ...lastMonth, splits: ['package'], filters }
  const points: RawPoint[] = await Array.fromAsync(client.rawMetricData(request))
  const times = points.map(({ dtime }) => Date.parse(`${dtime}Z`))
  const top = Math.ceil(Math.max(...points.map(({ metricValue }) => metricValue)) / 20) * 20
  const x = between(Math.min(...times), Math.max(...times), left + 6, width - 16)
  const y = between(0, top, bottom, 34)
  const names = [...new Set(points.map((point) => String((point as Record<string, unknown>)['package'])))]
  const colours = [blue, orange]
  save('timeline', 'Results of one agent before and after its package changed', [
    ...grid([0, top / 2, top], y, 'Mbit/s'),
    ...points.map((point, index) => {
      const colour = colours[names.indexOf(String((point as Record<string, unknown>)['package']))]
      return `<circle cx="${x(times[index] ?? 0).toFixed(1)}" cy="${y(point.metricValue).toFixed(1)}" r="2.5" fill="${colour}"/>`
    }),
    ...names.map((name, index) => text(left + 6 + index * 220, 18, name, bold(colours[index] ?? grey))),
    ...[0, points.length - 1].map((index) =>
      text(
        x(times[index] ?? 0),
        bottom + 14,
        points[index]?.dtime.slice(0, 10) ?? '',
        index === 0 ? '' : 'text-anchor="end"',
      ),
    ),
    text(left, height - 6, `raw results of agent ${agent}, split by package as of each of them`),
  ])
}

await drawNormalisation()
await drawSpread()
await drawTimeline()
