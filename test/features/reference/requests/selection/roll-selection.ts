import type { Dice } from '../../../../faults/dice.ts'
import { chance } from '../../dataset/chances.ts'
import { pointFields, type Data, type MetricRequest, type Order, type Point } from '../../model/request.ts'
import { rightRules } from '../../model/rules.ts'
import { bounds, meets, numberIn, type Having } from '../../model/selection/having.ts'
import { isClearOrder, isExact } from './clear-order.ts'

/** Adds `having`, `order` and `limit` to some aggregated requests, whose points are known. */
export function rollSelection(dice: Dice, request: MetricRequest, data: Data): MetricRequest {
  const points = data.flatMap(({ metricData }) => metricData)
  if (request.chartType === 'raw') return request
  const names = numbersOf(points, request)
  const having = chance(dice, 22) ? rollHaving(dice, names, points, request) : []
  const kept = points.filter((point) => having.every((condition) => meets(point, condition, rightRules)))
  const order = chance(dice, 30) ? rollOrder(dice, names, kept, request) : []
  return {
    ...request,
    ...(having.length > 0 ? { having } : {}),
    ...(order.length > 0 ? { order } : {}),
    ...(chance(dice, 25) ? { limit: rollLimit(dice, kept.length) } : {}),
  }
}

const limitMax = 100_000

const rollLimit = (dice: Dice, count: number): number =>
  dice.pick([1, Math.max(1, count - 1), Math.max(1, count), count + 1, dice.between(1, Math.max(1, count)), limitMax])

/** The members of points that are objects of numbers. The service does not select by those of a histogram. */
const holders = ['percentiles', 'coverage', 'comparison', 'prefilter']

/** The names of all numbers that a point of the request has. */
function numbersOf(points: readonly Point[], request: MetricRequest): string[] {
  const labels = new Set(['aggregatedNumber', ...(request.splits ?? [])])
  const wanted = request.percentiles === 'none' ? pointFields.filter((name) => name !== 'median') : pointFields
  const always = wanted.filter((name) => name !== 'percentiles' && (request.fields?.includes(name) ?? true))
  const found = points.flatMap((point) =>
    Object.entries(point).flatMap(([name, value]) => {
      if (labels.has(name)) return []
      if (typeof value === 'number') return [name]
      if (!holders.includes(name) || typeof value !== 'object' || value === null) return []
      return Object.keys(value).flatMap((member) =>
        numberIn(point, `${name}.${member}`) === null ? [] : [`${name}.${member}`],
      )
    }),
  )
  return [...new Set([...always, ...found])]
}

/** Conditions with bounds at exact numbers, and between computed numbers, because rounding decides at these. */
function rollHaving(dice: Dice, names: readonly string[], points: readonly Point[], request: MetricRequest): Having[] {
  if (names.length === 0) return []
  const exact = names.filter((name) => isExact(name, request))
  const conditions = Array.from({ length: dice.pick([1, 1, 1, 2, 3]) }, (): Having | null => {
    const field = dice.pick(exact.length > 0 && chance(dice, 50) ? exact : names)
    const values = points.map((point) => numberIn(point, field)).filter((value) => value !== null)
    const bound = dice.pick([...bounds])
    // A bound beyond all points keeps all of them or none.
    const own = values.length === 0 || chance(dice, 6) ? 0 : dice.pick(values)
    if (isExact(field, request)) return { field, [bound]: own + dice.pick([0, 0, 0, 0, 1, -1]) }
    const near = Number((own * (1 + dice.pick([-1, 1]) * dice.between(1, 40) * 1e-3) + 1e-5).toPrecision(7))
    return values.some((value) => Math.abs(value - near) <= 1e-7 * (Math.abs(value) + Math.abs(near)))
      ? null
      : { field, [bound]: near }
  })
  return conditions.filter((condition) => condition !== null)
}

const directions = [{}, { direction: 'asc' }, { direction: 'desc' }, { direction: 'desc' }] as const

/** Keys that put the points in the same order however computed numbers are rounded. */
function rollOrder(dice: Dice, names: readonly string[], points: readonly Point[], request: MetricRequest): Order[] {
  const label =
    request.aggregation === 'total' ? [] : [points[0]?.['dtime'] === undefined ? 'aggregatedNumber' : 'dtime']
  const splits = [...(request.splits ?? []), ...(request.metrics === undefined ? [] : ['metric'])]
  if (points.length === 0) return []
  let order: Order[] = []
  for (let key = dice.pick([1, 1, 1, 2, 3]); key > 0; key -= 1) {
    const by = dice.pick([
      dice.pick(names.length === 0 ? ['sampleCount'] : names),
      dice.pick([...names, ...splits, ...label]),
    ])
    if (by === undefined || order.some((one) => one.by === by)) continue
    const longer: Order[] = [...order, { by, ...dice.pick(directions) }]
    if (isClearOrder(points, longer, request)) order = longer
  }
  return order
}
