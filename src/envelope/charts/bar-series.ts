import { categoryAxis, colourOf, ink, still, valueAxis, type ChartOption } from './chart-style.ts'
import { numberText, periodText } from './chart-text.ts'
import type { DrawnAnswer, DrawnPoint } from './drawn-answer.ts'

/** A group of bars of one colour. `points` has a point, or a gap, for each category. */
type Group = { readonly name: string; readonly points: readonly (DrawnPoint | undefined)[] }

/** Bars with more values have no texts. */
const textsMax = 24
const nameCharactersMax = 14

/** Bars with whiskers for the 95 % intervals. Bars of partial periods are hollow. */
export function barSeries(answer: DrawnAnswer): ChartOption {
  const { categories, groups } = grouped(answer)
  // Horizontal bars have room for long names.
  const isLying =
    answer.axis === 'none' && (categories.length > 8 || categories.some((name) => name.length > nameCharactersMax))
  const names = { ...categoryAxis(categories), ...(isLying ? { inverse: true } : {}) }
  const values = valueAxis(answer.unit, true)
  const hasTexts = categories.length * groups.length <= textsMax
  return {
    ...(isLying ? { xAxis: values, yAxis: names } : { xAxis: names, yAxis: values }),
    series: groups.flatMap(({ name, points }, index) => [
      {
        ...still,
        ...layout,
        type: 'bar',
        name,
        color: colourOf(index),
        data: points.map((point) => bar(point, index)),
        label: {
          show: hasTexts,
          position: isLying ? 'right' : 'insideBottom',
          color: isLying ? ink.text : ink.paper,
          fontSize: 12,
          formatter: ({ dataIndex }: { readonly dataIndex: number }) => numberText(points[dataIndex]?.value ?? null),
        },
      },
      ...whiskers(points, index, groups.length, isLying),
    ]),
  }
}

const layout = { barGap: '12%', barCategoryGap: '34%', barMaxWidth: 64 } as const

/** Without periods, each series is a category with one bar. Otherwise each period is one, with a bar for each series. */
function grouped({ axis, aggregation, measure, series }: DrawnAnswer): {
  readonly categories: readonly string[]
  readonly groups: readonly Group[]
} {
  if (axis === 'none') {
    return {
      categories: series.map(({ name }) => (name === '' ? measure : name)),
      groups: [{ name: measure, points: series.map(({ points }) => points[0]) }],
    }
  }
  const all = [...new Set(series.flatMap(({ points }) => points.map(({ label }) => label)))]
  const labels = axis === 'time' ? all.toSorted() : all.toSorted((one, other) => Number(one) - Number(other))
  return {
    categories: labels.map((label) => periodText(label, aggregation)),
    groups: series.map(({ name, points }) => {
      const byLabel = new Map(points.map((point) => [point.label, point]))
      return { name, points: labels.map((label) => byLabel.get(label)) }
    }),
  }
}

function bar(point: DrawnPoint | undefined, index: number): ChartOption {
  const hollow = { color: ink.paper, borderColor: colourOf(index), borderWidth: 2, borderType: 'dashed' }
  const partial = { itemStyle: hollow, label: { color: ink.text } }
  return { value: point?.value ?? null, ...(point?.isPartial === true ? partial : {}) }
}

/** What ECharts gives to draw one item of a custom series. */
type Canvas = {
  readonly value: (dimension: number) => number
  readonly coord: (place: readonly number[]) => readonly [number, number]
  readonly barLayout: (options: object) => readonly { readonly offsetCenter: number }[]
}

function whiskers(points: Group['points'], index: number, count: number, isLying: boolean): readonly ChartOption[] {
  const data = points.flatMap((point, place) =>
    point === undefined || point.low === null || point.high === null ? [] : [[place, point.low, point.high]],
  )
  if (data.length === 0) return []
  const renderItem = (_: unknown, canvas: Canvas): ChartOption => {
    const { offsetCenter = 0 } = canvas.barLayout({ ...layout, count })[index] ?? {}
    const ends = [1, 2].map((dimension) => {
      const [x, y] = canvas.coord(
        isLying ? [canvas.value(dimension), canvas.value(0)] : [canvas.value(0), canvas.value(dimension)],
      )
      return isLying ? [x, y + offsetCenter] : [x + offsetCenter, y]
    })
    const [[x1 = 0, y1 = 0] = [], [x2 = 0, y2 = 0] = []] = ends
    const cap = 5
    const cross = (x: number, y: number): ChartOption =>
      line(isLying ? { x1: x, y1: y - cap, x2: x, y2: y + cap } : { x1: x - cap, y1: y, x2: x + cap, y2: y })
    return { type: 'group', children: [line({ x1, y1, x2, y2 }), cross(x1, y1), cross(x2, y2)] }
  }
  const encode = isLying ? { x: [1, 2], y: 0 } : { x: 0, y: [1, 2] }
  return [{ ...still, type: 'custom', renderItem, encode, data, z: 4 }]
}

const line = (shape: object): ChartOption => ({ type: 'line', shape, style: { stroke: ink.text, lineWidth: 1.2 } })
