import { isAboutAgents } from '../../model/agent-points.ts'
import { filled } from '../../model/presets.ts'
import { pointFields, type MetricRequest, type Order, type Point } from '../../model/request.ts'
import { comparePoints, valueIn } from '../../model/selection/selected.ts'
import { rightRules } from '../../model/rules.ts'

const counts = ['sampleCount', 'agentCount', 'unitCount', 'agentsBelowMinimum', 'reachingAgents', 'resultsWithoutPlan']
const countsOfObjects =
  /^(histogram\.|comparison\.(baseAgents|sharedAgents)|prefilter\.(before|removed|agentsLost)|coverage\.(agents|blocks))/

/** True for numbers that are not rounded. `min` and `max` of results are stored values. */
export function isExact(name: string, given: MetricRequest): boolean {
  const isStored = (name === 'min' || name === 'max') && !isAboutAgents(filled(given))
  return counts.includes(name) || isStored || countsOfObjects.test(name) || !isNumber(name)
}

const isNumber = (name: string): boolean =>
  name.includes('.') || (pointFields as readonly string[]).includes(name) || computedFields.test(name)
const computedFields = /^(standardError|effective|degreesOfFreedom|largestAgentShare|designEffect|reaching)/

/** True if no two neighbours in the order differ so little that rounding decides, or are equal after a computation. */
export function isClearOrder(points: readonly Point[], order: readonly Order[], request: MetricRequest): boolean {
  const compare = (one: Point, other: Point): number => {
    for (const { by, direction } of order) {
      const found = comparePoints(one, other, by, direction === 'desc', rightRules)
      if (found !== 0) return found
    }
    return 0
  }
  const sorted = points.toSorted(compare)
  return sorted.every((point, place) => {
    const next = sorted[place + 1]
    return next === undefined || areApart(point, next, order, request)
  })
}

/** True if the first key by which two points differ differs by more than rounding. */
export function areApart(one: Point, other: Point, order: readonly Order[], request: MetricRequest): boolean {
  for (const { by } of order) {
    const [left, right] = [valueIn(one, by), valueIn(other, by)]
    if (left === right && (left === null || isExact(by, request) || areSingle(one, other))) continue
    if (typeof left !== 'number' || typeof right !== 'number' || isExact(by, request)) return true
    return Math.abs(left - right) > 1e-7 * (Math.abs(left) + Math.abs(right))
  }
  return true
}

/** The statistics of a single result are that result, or 0. */
const areSingle = (one: Point, other: Point): boolean => one['sampleCount'] === 1 && other['sampleCount'] === 1
