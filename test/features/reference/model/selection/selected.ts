import { compareCells } from '../cells.ts'
import type { Cell } from '../facts.ts'
import type { Answer, MetricRequest, Point } from '../request.ts'
import type { Rules } from '../rules.ts'
import { meets, numberIn } from './having.ts'

type Placed = { point: Point; series: number }

/** The points that `having`, `order` and `limit` select, in this sequence, and how many they are. */
export function selected(answer: Answer, request: MetricRequest, rules: Rules): Answer {
  const { data } = answer
  const { having = [], order = [], limit } = request
  if (request.having === undefined && request.order === undefined && limit === undefined) return answer
  const all = data.flatMap(({ metricData }, series) => metricData.map((point): Placed => ({ point, series })))
  const kept = all.filter(({ point }) => having.every((condition) => meets(point, condition, rules)))
  const turns = rules.ties === 'turn around too' && order.some(({ direction }) => direction === 'desc')
  const ordered = (turns ? kept.toReversed() : kept).toSorted((one, other) => {
    for (const { by, direction } of order) {
      const found = comparePoints(one.point, other.point, by, direction === 'desc', rules)
      if (found !== 0) return found
    }
    return 0
  })
  const shown = ordered.slice(0, limit)
  const series = [...Map.groupBy(shown, (placed) => placed.series).values()]
  return {
    data:
      series.length === 0
        ? [{ metricData: [] }]
        : series.map((placed) => ({ metricData: placed.map(({ point }) => point) })),
    meta: { ...answer.meta, points: { computed: all.length, shown: shown.length } },
  }
}

/** Numbers, and the label and split values of a point. */
export function valueIn(point: Point, name: string): Cell {
  const value = point[name]
  return typeof value === 'string' ? value : numberIn(point, name)
}

/** Points without a value come last in both directions. */
export function comparePoints(one: Point, other: Point, by: string, descends: boolean, rules: Rules): number {
  const [left, right] = [valueIn(one, by), valueIn(other, by)]
  const sign = descends ? -1 : 1
  if (left === null || right === null)
    return (Number(left === null) - Number(right === null)) * (rules.orderOfNull === 'last' ? 1 : sign)
  return compareCells(left, right, rules) * sign
}
