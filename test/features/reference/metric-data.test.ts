import { afterAll, beforeAll, expect, it } from 'vitest'
import { newSeed } from '../../faults/dice.ts'
import { firstDifference } from './comparison.ts'
import { buildDataset } from './dataset/build-dataset.ts'
import { dimensions } from './model/dimensions.ts'
import { metrics } from './model/metrics.ts'
import { reference } from './model/reference.ts'
import type { Asked, Data } from './model/request.ts'
import { openMetricService, type MetricService } from './metric-service.ts'
import { Coverage } from './requests/coverage.ts'
import { rollRequests } from './requests/roll-requests.ts'
import { wrongRules } from './wrong-rules.ts'

const deep = process.env['BROADGAUGE_TEST_DEEP'] === '1'
/** The ordinary run sends the same requests every time. So it fails only if the code has changed. */
const seed = deep ? newSeed() : 1
const count = Number(process.env['BROADGAUGE_TEST_REQUESTS'] ?? (deep ? 10_000 : 360))
/** The test stops after this many differences, because more differences would add no information. */
const differencesMax = 5
/** The number of responses that are kept. A later test compares them with wrong rules and must find differences. */
const keptMax = 500
const kept: { asked: Asked; answered: Data }[] = []

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

it(`answers ${count} random requests as the reference does`, { timeout: 4 * 3_600_000 }, async () => {
  const coverage = new Coverage()
  const differences: string[] = []
  const requests = rollRequests(service.dataset, seed, count, service.askable, Temporal.Now.instant()).entries()
  const worker = async (): Promise<void> => {
    for (const [index, rolled] of requests) {
      // The run can last longer than the day on which it began, and relative ends are counted from the present day.
      const asked = { ...rolled, now: Temporal.Now.instant() }
      const { difference, expected, answered } = await service.differs(asked)
      coverage.add(asked, expected)
      if (answered !== null && kept.length < keptMax) kept.push({ asked, answered })
      if (difference !== null)
        differences.push(`seed ${seed}, request ${index}: ${JSON.stringify(asked.request)}\n${difference}`)
      if (differences.length >= differencesMax) return
    }
  }
  // With several workers, ClickHouse works on one request while the reference computes another.
  await Promise.all(Array.from({ length: 4 }, worker))
  console.log(`seed ${seed}: ${coverage.table()}`)
  expect(differences.join('\n\n')).toBe('')
  const ids = new Set(Object.keys(metrics).flatMap((metric) => service.askable('acme', metric).splits))
  expect(coverage.rarerThan(10, [...ids]), `seed ${seed}`).toEqual([])
  expect(coverage.emptiedPoints, `seed ${seed}`).toBeGreaterThanOrEqual(100)
  expect(coverage.shareWithPoints, `seed ${seed}`).toBeGreaterThanOrEqual(0.9)
})

it.each(Object.entries(wrongRules))('has answers that would differ if: %s', { timeout: 300_000 }, (name, rules) => {
  const at = kept.findIndex(
    ({ asked, answered }) => firstDifference(reference(service.dataset, asked, rules), answered) !== null,
  )
  console.log(`${name}: noticed at request ${at + 1} of ${kept.length}`)
  expect(at, `seed ${seed}`).toBeGreaterThan(-1)
})
