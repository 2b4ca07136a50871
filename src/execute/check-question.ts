import type { Scope } from '../base/caller.ts'
import type { QuestionContent } from '../check/question/content.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { visibleTo } from '../catalog/visible.ts'
import { FieldFaults } from '../check/field-faults.ts'
import { pointNumbers } from '../check/metric/point-numbers.ts'
import { checkQuestion, checkStatistic } from '../check/question/question.ts'
import { addRelocated, inRequest } from '../check/question/relocated-faults.ts'
import { readGrants } from '../engine/postgres/access/read-grants.ts'
import type { Stores } from '../engine/stores.ts'
import { planMetricRequest } from './plan-metric-request.ts'

/** Checks a question to save. Its request must be one that the caller could send now. Throws one 422 with all faults. */
export async function checkedQuestion(
  scope: Scope,
  stores: Pick<Stores, 'postgres' | 'lookups'>,
  catalog: Catalog,
  body: unknown,
  now: Temporal.Instant,
): Promise<QuestionContent> {
  const faults = new FieldFaults()
  const content = checkQuestion(body, visibleTo(await readGrants(scope, stores.postgres), catalog), faults)
  if (content !== null) {
    try {
      const plan = await planMetricRequest(scope, stores, catalog, content.request, now)
      checkStatistic(content.chart, plan.aggregation === null ? ['metricValue'] : pointNumbers(plan), faults)
    } catch (error) {
      addRelocated(error, inRequest, faults)
    }
  }
  faults.throwIfAny()
  if (content === null) throw new Error('a question without a request passed its check')
  return content
}
