import { colourOf, categoryAxis, ink, still, valueAxis, type ChartOption } from './chart-style.ts'
import { periodText } from './chart-text.ts'
import type { DrawnAnswer, DrawnPoint } from './drawn-answer.ts'

/** With more points, only partial ones have a symbol. */
const symbolsMax = 80

/**
 * A line for each series, with a band for the 95 % intervals. Partial points are hollow. A missing value leaves a gap: a line
 * across it would claim values that were never measured.
 */
export function lineSeries({ series, axis, unit, aggregation }: DrawnAnswer): ChartOption {
  const hasSymbols = series.every(({ points }) => points.length <= symbolsMax)
  const labels = [...new Set(series.flatMap(({ points }) => points.map(({ label }) => label)))]
  const categories = axis === 'time' ? [] : labels.toSorted((one, other) => Number(one) - Number(other))
  const place = (label: string): number => (axis === 'time' ? momentOf(label) : categories.indexOf(label))
  return {
    xAxis:
      axis === 'time'
        ? { ...timeAxis, ...(labels.every((label) => label.length === 10) ? { minInterval: dayMs } : {}) }
        : { ...categoryAxis(categories.map((label) => periodText(label, aggregation))), boundaryGap: false },
    yAxis: valueAxis(unit, startsAtZero(series)),
    series: series.flatMap(({ name, points }, index) => [
      ...band(index, points, place),
      {
        ...still,
        type: 'line',
        name,
        color: colourOf(index),
        data: points.map((point) => item(point, place(point.label), hasSymbols)),
        showAllSymbol: true,
        connectNulls: false,
        lineStyle: { width: 2 },
        z: 3,
      },
    ]),
  }
}

/** Labels of a time axis have no zone: they are local times of the agents. */
const momentOf = (label: string): number => Date.parse(`${label.slice(0, 10)}T${label.slice(11, 19) || '00:00:00'}Z`)

/** Between the days of whole-day periods, there is nothing to label. */
const dayMs = 86_400_000

const timeAxis: ChartOption = {
  type: 'time',
  axisLine: { lineStyle: { color: ink.line } },
  axisTick: { lineStyle: { color: ink.line } },
  axisLabel: {
    color: ink.muted,
    fontSize: 12,
    hideOverlap: true,
    formatter: {
      year: '{MMM} {yyyy}',
      month: '{MMM} {yyyy}',
      day: '{d} {MMM}',
      hour: '{HH}:{mm}',
      minute: '{HH}:{mm}',
    },
  },
  splitLine: { show: false },
}

/** An axis starts at 0, unless the differences between points would then be invisible. */
export function startsAtZero(series: DrawnAnswer['series']): boolean {
  const points = series.flatMap((one) => one.points)
  const values = points.flatMap(({ value, low, high }) => [value, low, high]).filter((one) => one !== null)
  const [low, high] = [Math.min(...values), Math.max(...values)]
  return low >= 0 && low < 0.6 * high
}

function item({ value, isPartial }: DrawnPoint, x: number, hasSymbols: boolean): ChartOption {
  const symbol = isPartial
    ? { symbol: 'emptyCircle', symbolSize: 9, itemStyle: { borderWidth: 2 } }
    : hasSymbols
      ? { symbol: 'circle', symbolSize: 6 }
      : { symbol: 'none' }
  return { value: [x, value], ...symbol }
}

/** Two stacked lines without a stroke: the lower bound, and above it the width of the interval as an area. */
function band(index: number, points: readonly DrawnPoint[], place: (label: string) => number): readonly ChartOption[] {
  if (points.every(({ low }) => low === null)) return []
  const shared = {
    ...still,
    type: 'line',
    stack: `band of ${index}`,
    stackStrategy: 'all',
    symbol: 'none',
    lineStyle: { opacity: 0 },
  }
  return [
    { ...shared, data: points.map(({ label, low }) => [place(label), low]) },
    {
      ...shared,
      areaStyle: { color: colourOf(index), opacity: 0.16 },
      data: points.map(({ label, low, high }) => [place(label), low === null || high === null ? null : high - low]),
    },
  ]
}
