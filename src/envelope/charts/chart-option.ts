import { barSeries } from './bar-series.ts'
import { colours, font, ink, type ChartOption } from './chart-style.ts'
import { plainText, wrapped } from './chart-text.ts'
import type { DrawnAnswer, DrawnSeries } from './drawn-answer.ts'
import type { Fact } from './facts.ts'
import { lineSeries, startsAtZero } from './line-series.ts'

/** What a picture says around the chart. A page that says it in its own text draws the chart alone. */
export type Surroundings = { readonly title: string; readonly facts: readonly Fact[] } | null

export type Drawing = { readonly width: number; readonly height: number; readonly option: ChartOption }

/** `pointsMax`: a line of 10,000 points is as fine as a picture can show, and is drawn within a second. */
export const chartLimits = { pointsMax: 5_000 } as const

export const isDrawable = ({ series }: DrawnAnswer): boolean => countPoints(series) <= chartLimits.pointsMax

const countPoints = (series: readonly DrawnSeries[]): number =>
  series.reduce((count, { points }) => count + points.length, 0)

/** As many lines as there are colours, and as many bars as have room for their names. */
const [linesMax, barsMax] = [colours.length, 40]

const width = 960
const plotHeight = 400
const margin = 24
const titleHeight = 34
const subtitleHeight = 24
const legendRowHeight = 22
const noteHeight = 17
/** Characters of a note that fit on a line. */
const noteCharactersMax = 150

/** Returns the chart of an answer: a line, or bars. `chartLimits` apply to the answer. */
export function chartDrawing(answer: DrawnAnswer, around: Surroundings): Drawing {
  const hasBars = isBars(answer)
  const series = answer.series.slice(0, shownMax(answer)).map((one) => ({ ...one, name: plainText(one.name) }))
  const shown = { ...answer, series }
  const notes = notesOf(answer, around)
  const rows = answer.axis === 'none' ? 0 : legendRows(series)
  const head = (around === null ? 0 : titleHeight) + subtitleHeight
  const top = margin + head + rows * legendRowHeight
  const bottom = margin + notes.length * noteHeight + (notes.length === 0 ? 0 : 10)
  const subtitle = [answer.measure, answer.unit].filter((text) => text !== '').join(', ')
  const parts = hasBars ? barSeries(shown) : lineSeries(shown)
  const height = top + plotHeight + bottom
  return {
    width,
    height,
    option: {
      animation: false,
      useUTC: true,
      color: [...colours],
      backgroundColor: ink.paper,
      textStyle: { fontFamily: font, color: ink.text },
      title: [
        ...(around === null ? [] : [titled(wrapped(around.title, 80)[0] ?? '', margin - 4, 20, ink.text, 600)]),
        titled(subtitle, margin + (around === null ? 0 : titleHeight) - 4, 14, ink.muted),
        ...notes.map((note, index) =>
          titled(note, height - margin - (notes.length - index) * noteHeight, 12, ink.muted),
        ),
      ],
      legend: {
        show: rows > 0,
        data: series.map(({ name }) => name),
        top: margin + head,
        left: margin - 4,
        width: width - 2 * margin,
        itemGap: 18,
        itemWidth: 16,
        itemHeight: 10,
        icon: 'roundRect',
        selectedMode: false,
        textStyle: { fontFamily: font, fontSize: 13, color: ink.text },
      },
      grid: { left: margin, right: margin + 8, top: top + 12, bottom, outerBoundsMode: 'same' },
      ...parts,
    },
  }
}

const shownMax = ({ axis }: DrawnAnswer): number => (axis === 'none' ? barsMax : linesMax)

/** Bars of many periods would be thinner than a line. */
const isBars = ({ kind, axis, series }: DrawnAnswer): boolean =>
  axis === 'none' || (kind === 'bar' && countPoints(series) <= 2 * barsMax)

const titled = (text: string, top: number, fontSize: number, color: string, fontWeight = 400): ChartOption => ({
  text: plainText(text),
  left: margin - 4,
  top,
  padding: [0, 4],
  textStyle: { fontFamily: font, fontSize, fontWeight, color },
})

/** The facts below the chart. A chart never leaves out a series or a part of its axis without saying so. */
function notesOf(answer: DrawnAnswer, around: Surroundings): readonly string[] {
  const { series } = answer
  const seriesMax = shownMax(answer)
  const own = [
    ...(series.length === 0 ? ['There are no results.'] : []),
    ...(series.length > seriesMax ? [`The first ${seriesMax} of ${series.length} series are drawn.`] : []),
    ...(series.length > 0 && !isBars(answer) && !startsAtZero(series) ? ['The axis does not start at 0.'] : []),
  ]
  const texts = (isWarning: boolean): readonly string[] =>
    (around?.facts ?? [])
      .filter(({ name }) => (name === 'Warning') === isWarning)
      .map(({ name, text }) => `${name}: ${text}`)
  const lines = [own.join(' '), texts(false).join('. '), ...texts(true)]
  return lines.filter((text) => text !== '').flatMap((text) => wrapped(text, noteCharactersMax))
}

/** Estimates the rows of the legend: ECharts measures texts only when it draws. */
function legendRows(series: readonly DrawnSeries[]): number {
  if (series.length < 2) return 0
  const room = width - 2 * margin
  let [rows, used] = [1, 0]
  for (const { name } of series) {
    const needed = 16 + 5 + 18 + name.length * 7.6
    if (used > 0 && used + needed > room) {
      rows += 1
      used = 0
    }
    used += needed
  }
  return rows
}
