/** A part of a chart as ECharts takes it. */
export type ChartOption = Readonly<Record<string, unknown>>

/** Distinguishable with the common kinds of colour blindness, and dark enough on white for lines. */
export const colours = [
  '#1f5fa8',
  '#c8541b',
  '#1d8a63',
  '#8a4fb0',
  '#a97c00',
  '#2b93b5',
  '#b3306a',
  '#5d6b7a',
  '#6a8f1f',
  '#3f4fb5',
  '#9c5a3c',
  '#2f2f3a',
] as const

export const colourOf = (index: number): string => colours[index % colours.length] ?? colours[0]

export const ink = { text: '#1c2530', muted: '#5a6675', line: '#c9d0d8', grid: '#e8ecf0', paper: '#ffffff' } as const

export const font = 'Helvetica, Arial, sans-serif'

/** Pictures do not react: without this, ECharts writes styles for a pointer that is over a mark. */
export const still = { silent: true, emphasis: { disabled: true } } as const

export const categoryAxis = (labels: readonly string[]): ChartOption => ({
  type: 'category',
  data: labels,
  axisLine: { lineStyle: { color: ink.line } },
  axisTick: { show: false },
  axisLabel: { color: ink.text, fontSize: 12, hideOverlap: true, width: 240, overflow: 'truncate' },
})

export const valueAxis = (unit: string, startsAtZero: boolean): ChartOption => ({
  type: 'value',
  scale: !startsAtZero,
  ...(unit === '%' ? { max: percentMax } : {}),
  axisLabel: { color: ink.muted, fontSize: 12 },
  splitLine: { lineStyle: { color: ink.grid } },
})

/** Percentages end at 100, unless values relative to a plan are above. */
const percentMax = ({ max }: { readonly max: number }): number | null => (max > 90 && max <= 100 ? 100 : null)
