import { buildDataset } from '../reference/dataset/build-dataset.ts'
import type { Dataset } from '../reference/model/facts.ts'
import { openMetricService, type MetricService } from '../reference/metric-service.ts'
import { runSql } from '../../kit/run-sql.ts'
import { ageResults, buildAll } from './build.ts'

const dayMs = 86_400_000
const dayNumber = (day: string): number => Date.parse(day) / dayMs

/**
 * Two tests. The first has a schedule with blocks of several hours and a metric that is a value. The second has hourly
 * blocks and a metric that is a ratio. The results are of a spring in which clocks change.
 */
const tests = ['httpget', 'latency']
export const metrics = ['httpget', 'httpget_retrans', 'latency', 'packetLoss']
const [firstMs, lastMs] = [Date.parse('2020-03-15'), Date.parse('2020-04-25')]

function spring(dataset: Dataset): Dataset {
  const results = [...dataset.results]
    .filter(([test]) => tests.includes(test))
    .map(([test, rows]) => [test, rows.filter(({ endedAt }) => endedAt >= firstMs && endedAt < lastMs)] as const)
  return { ...dataset, results: new Map(results) }
}

/**
 * A service with results. Most days have a rollup. The first days, the last days and some days between them have none.
 */
export async function openRolledService(seed: number): Promise<MetricService> {
  const service = await openMetricService(spring(buildDataset(seed)))
  try {
    await ageResults(service.world, tests)
    await buildAll(service.world, { from: dayNumber('2020-03-19'), to: dayNumber('2020-04-20') })
    await runSql(
      service.world.superuserUrl,
      `UPDATE rollup_days SET stale = true WHERE (extract(day FROM day), panel_id) IN ((3, 1), (12, 2), (13, 2), (29, 1))`,
    )
    return service
  } catch (error) {
    await service.close()
    throw error
  }
}
