import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, it } from 'vitest'
import { limits } from '../../src/base/limits.ts'
import { statement } from '../../src/base/sql.ts'
import { catalog } from '../../src/catalog/catalog.ts'
import { visibleTo } from '../../src/catalog/visible.ts'
import { mapLeaves } from '../../src/check/metric/filters/filter-tree.ts'
import { checkMetricRequest } from '../../src/check/metric/metric-request.ts'
import { pointStatement } from '../../src/compile/metric/aggregate.ts'
import { metricPlan } from '../../src/compile/metric/metric-plan.ts'
import { rawPoints } from '../../src/compile/metric/raw-points.ts'
import type { MetricCase } from '../cases/metric-case.ts'

const now = Temporal.Instant.from('2026-11-01T00:00:00Z')
const zones = Intl.supportedValuesOf('timeZone').map((name, index) => ({ id: index + 1, name }))
const panels = [{ id: 7, key: 'homes', owned: true }]

function visibleIn({ agents = {} }: MetricCase) {
  const keys = Object.values(agents).flatMap((spans) => spans.flatMap(({ custom = {} }) => Object.keys(custom)))
  const customFields = [...new Set(keys)].map((key, index) => ({ panel: 7, key, field: index + 1 }))
  return visibleTo({ panels, kinds: ['whitebox'], tests: 'all', metrics: 'all', customFields, erased: [] }, catalog)
}

const names = globSync('test/cases/metric-data/*.case.ts').map((path) => basename(path, '.case.ts'))

/** test/features/metric-data/cases.test.ts runs the same requests on ClickHouse. */
it.each(names.toSorted())('%s compiles to its SQL', async (name) => {
  const { default: one } = (await import(`../cases/metric-data/${name}.case.ts`)) as { default: MetricCase }
  const request = checkMetricRequest(one.request, visibleIn(one), panels, now)
  const filters = request.filters.map((filter) => mapLeaves(filter, (leaf) => ({ ...leaf, ids: [1], names: [] })))
  const plan = metricPlan(request, catalog, zones, filters)
  const { query } =
    plan.aggregation === null
      ? rawPoints('broadgauge', plan)
      : pointStatement('broadgauge', plan, plan.aggregation, limits.pointsMax)
  await expect(`${statement(query).text}\n`).toMatchFileSnapshot(`../cases/metric-data/${name}.sql`)
})
