import type { AuditRange } from '../base/audit.ts'
import type { Scope } from '../base/caller.ts'
import type { Sql } from '../base/sql.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { TestDefinition } from '../catalog/define-test.ts'
import type { ExportFormat } from '../catalog/export-formats.ts'
import { visibleTo } from '../catalog/visible.ts'
import type { FieldFaults } from '../check/field-faults.ts'
import { checkTestDataRequest } from '../check/metric/test-data-request.ts'
import { metricExportRows, testExportRows } from '../compile/export/export-rows.ts'
import { fileCell, metricFileName, testFileName } from '../compile/export/export-file.ts'
import type { ResolvedFilter } from '../compile/metric/filter-condition.ts'
import { dayRange } from '../compile/metric/metric-plan.ts'
import type { ExportSource } from '../engine/postgres/exports/exports.ts'
import { planMetricRequest } from './plan-metric-request.ts'
import type { Postgres } from '../engine/postgres/postgres.ts'
import { readGrants } from '../engine/postgres/access/read-grants.ts'

/** What a request for an export becomes in one of its formats. */
export type ExportPlan = Pick<TestDefinition, 'keepDays'> & {
  readonly test: string
  readonly panels: readonly number[]
  /** Numbers of agents that are left out. */
  readonly erased: readonly number[]
  readonly range: AuditRange
  readonly fileName: string
  /** What it filters by, and the panels on which the caller can see values. */
  readonly filters: readonly ResolvedFilter[]
  readonly readable: readonly number[]
  /** Its rows, without what was stored later. */
  readonly rows: (database: string, storedBefore: Temporal.Instant) => Sql
}

export type ExportRequest = {
  readonly source: ExportSource
  readonly format: ExportFormat
  readonly request: unknown
  /** What relative dates are counted from. */
  readonly now: Temporal.Instant
}

/** From the body of a request to its plan: when it is taken in, to refuse it, and at each attempt to write it. */
export async function planExport(
  scope: Scope,
  postgres: Postgres,
  catalog: Catalog,
  { source, format, request, now }: ExportRequest,
  faults?: FieldFaults,
): Promise<ExportPlan> {
  const cell = fileCell(format)
  if (source === 'metric_data') {
    const plan = await planMetricRequest(scope, postgres, catalog, request, now, faults)
    return {
      ...kept(plan.test),
      test: plan.test.key,
      panels: plan.panels,
      erased: plan.erased,
      range: plan.range,
      fileName: metricFileName(plan, format),
      filters: plan.filters,
      readable: plan.readable,
      rows: (database, storedBefore) => metricExportRows(database, { ...plan, storedBefore }, cell),
    }
  }
  const grants = await readGrants(scope, postgres)
  const checked = checkTestDataRequest(request, visibleTo(grants, catalog), grants.panels, now, faults)
  return {
    ...kept(checked.test),
    test: checked.test.key,
    panels: checked.panels,
    erased: grants.erased,
    range: dayRange(checked.days),
    fileName: testFileName(checked, format),
    filters: [],
    readable: [],
    rows: (database, storedBefore) =>
      testExportRows(database, { ...checked, erased: grants.erased }, storedBefore, cell),
  }
}

const kept = ({ keepDays }: TestDefinition): Pick<TestDefinition, 'keepDays'> =>
  keepDays === undefined ? {} : { keepDays }
