import type { Dice } from '../../../../faults/dice.ts'
import type { Dataset } from '../../model/facts.ts'
import { answerFrom, computed, type Computed } from '../../model/reference.ts'
import type { Answer, Asked, MetricRequest, Point } from '../../model/request.ts'
import { rightRules } from '../../model/rules.ts'
import { valueIn } from '../../model/selection/selected.ts'
import type { Askable } from '../roll-requests.ts'
import { usualRank, type Top } from '../../model/splits/top.ts'
import { areApart } from './clear-order.ts'
import { rollQuestion } from './roll-question.ts'
import { rollSelection } from './roll-selection.ts'

export type Question = { asked: Asked; computed: Answer; expected: Answer }

/**
 * Adds the fields of the query language to a request, and computes its response. The points of the response determine by
 * what the request selects, so that the rounding of computed numbers never decides what is selected.
 */
export function questionOf(dice: Dice, dataset: Dataset, rolled: Asked, askable: Askable): Question {
  const question = rollQuestion(dice, dataset, rolled, askable)
  const found = computed(dataset, { ...rolled, request: question })
  const { top, ...whole } = question
  const isClear = top === undefined || isClearTop(found, top, whole)
  const [settled, all] = isClear ? [question, found] : [whole, computed(dataset, { ...rolled, request: whole })]
  const request = rollSelection(dice, settled, all.data)
  return { asked: { ...rolled, request }, computed: all, expected: answerFrom(all, request, rightRules) }
}

/** True if rounding decides neither which combinations are the top, nor their ranks. */
function isClearTop(
  { rankings = [] }: Computed,
  { n, by = usualRank, direction }: Top,
  request: MetricRequest,
): boolean {
  const sign = direction === 'asc' ? 1 : -1
  const rankOf = (point: Point): number => Number(valueIn(point, by) ?? sign * Infinity)
  return rankings.every((ofMetric) => {
    const points = ofMetric.flatMap(({ metricData }) => metricData)
    const ranked = points.toSorted((one, other) => sign * (rankOf(one) - rankOf(other))).slice(0, n + 1)
    return ranked.every((point, place) => {
      const next = ranked[place + 1]
      return next === undefined || areApart(point, next, [{ by }], request)
    })
  })
}
