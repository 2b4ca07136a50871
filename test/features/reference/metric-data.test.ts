import { afterAll, beforeAll, expect, it } from 'vitest'
import { newSeed, rollDice } from '../../faults/dice.ts'
import { answerDifference } from './comparison.ts'
import { buildDataset } from './dataset/build-dataset.ts'
import { dimensions, filterTypesOf } from './model/dimensions.ts'
import { metrics } from './model/metrics.ts'
import { answerOf } from './model/reference.ts'
import type { Rules } from './model/rules.ts'
import { bodyOf, type Answer, type Asked } from './model/request.ts'
import { openMetricService, type MetricService } from './metric-service.ts'
import { Coverage } from './requests/coverage.ts'
import { rollRequests } from './requests/roll-requests.ts'
import { unbuilt } from './requests/selection/roll-question.ts'
import { questionOf, type Question } from './requests/selection/settle.ts'
import { wrongRules, wrongRulesOf } from './wrong-rules.ts'

const deep = process.env['BROADGAUGE_TEST_DEEP'] === '1'
/** The ordinary run sends the same requests every time. So it fails only if the code has changed. */
const seed = deep || process.env['BROADGAUGE_TEST_SEED'] !== undefined ? newSeed() : 3
const count = Number(process.env['BROADGAUGE_TEST_REQUESTS'] ?? (deep ? 10_000 : 360))
/** The test stops after this many differences, because more differences would add no information. */
const differencesMax = 5
/** The number of responses that are kept. A later test compares them with wrong rules and must find differences. */
const keptMax = 500
/** The largest acceptable share of requests that the service refuses because their statements would be too long. */
const tooLongShareMax = 0.02
const kept: { asked: Asked; answered: Answer }[] = []

let service: MetricService

beforeAll(async () => {
  service = await openMetricService(buildDataset(seed))
}, 300_000)
afterAll(() => service?.close())

it('lists every dimension of the specification for the metrics that have it', () => {
  const listed = new Set(Object.keys(metrics).flatMap((metric) => service.askable('acme', metric).splits))
  const fields = ['custom.tier', 'custom.line_mbps', 'custom.région.test', 'custom.site']
  expect([...listed].toSorted()).toEqual([...Object.keys(dimensions), ...fields].toSorted())
  for (const metric of Object.keys(metrics)) {
    const { splits, filters } = service.askable('acme', metric)
    expect(filters, metric).toEqual(splits)
  }
})

it('lists the filter types of every dimension', () => {
  const listed = [...service.filterTypes].map(([id, types]) => [id, types.toSorted()])
  expect(listed).toEqual(listed.map(([id]) => [id, filterTypesOf(String(id)).toSorted()]))
})

it(`answers ${count} random requests as the reference does`, { timeout: 4 * 3_600_000 }, async () => {
  const coverage = new Coverage()
  const differences: string[] = []
  const dice = rollDice(seed)
  const requests = rollRequests(service.dataset, seed, count, service.askable, Temporal.Now.instant()).entries()
  const late: (Question & { index: number })[] = []
  let tooLong = 0
  const compare = async (question: Question & { index: number }): Promise<boolean> => {
    const { asked, expected, index } = question
    const { difference, answered, isLate, isTooLong } = await service.differs(asked, expected)
    if (isTooLong) {
      tooLong += 1
      return true
    }
    if (answered !== null && kept.length < keptMax) kept.push({ asked, answered })
    if (difference !== null && !isLate)
      differences.push(`seed ${seed}, request ${index}: ${JSON.stringify(bodyOf(asked.request))}\n${difference}`)
    return !isLate
  }
  const worker = async (): Promise<void> => {
    for (const [index, rolled] of requests) {
      // The run can last longer than the day on which it began, and relative ends are counted from the present day.
      const timed = { ...rolled, now: Temporal.Now.instant() }
      const question = { ...questionOf(dice.fork(index), service.dataset, timed, service.askable), index }
      coverage.add(question.asked, question.computed.data)
      if (!(await compare(question))) late.push(question)
      if (differences.length >= differencesMax) return
    }
  }
  // With several workers, ClickHouse works on one request while the reference computes another.
  await Promise.all(Array.from({ length: 4 }, worker))
  // A slow machine can answer these if it does nothing else.
  const unanswered: string[] = []
  for (const question of late)
    if (!(await compare(question)) && !(await compare(question)))
      unanswered.push(JSON.stringify(bodyOf(question.asked.request)))
  console.log(
    `seed ${seed}: ${late.length} requests took too long at first, ${tooLong} were refused; ${coverage.table()}`,
  )
  expect(tooLong).toBeLessThanOrEqual(count * tooLongShareMax)
  expect(differences.join('\n\n')).toBe('')
  expect(unanswered).toEqual([])
  // Every pair occurs in some thousands of requests.
  if (count >= 5000) expect(coverage.pairs.rarerThan(10, unbuilt), `seed ${seed}`).toEqual([])
  const ids = new Set(Object.keys(metrics).flatMap((metric) => service.askable('acme', metric).splits))
  expect(coverage.rarerThan(10, [...ids]), `seed ${seed}`).toEqual([])
  expect(coverage.emptiedPoints, `seed ${seed}`).toBeGreaterThanOrEqual(100)
  expect(coverage.shareWithPoints, `seed ${seed}`).toBeGreaterThanOrEqual(0.9)
})

const built = Object.entries(wrongRulesOf).filter(([field]) => !unbuilt.some((one) => one === field))
const mistakes = [wrongRules, ...built.map(([, rules]) => rules)].flatMap(Object.entries<Rules>)

it.each(mistakes)('has answers that would differ if: %s', { timeout: 300_000 }, (name, rules) => {
  const at = kept.findIndex(
    ({ asked, answered }) => answerDifference(answerOf(service.dataset, asked, rules), answered) !== null,
  )
  console.log(`${name}: noticed at request ${at + 1} of ${kept.length}`)
  expect(at, `seed ${seed}`).toBeGreaterThan(-1)
})
