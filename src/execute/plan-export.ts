import type { Scope } from '../base/caller.ts'
import type { Sql } from '../base/sql.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { TestDefinition } from '../catalog/define-test.ts'
import type { ExportFormat } from '../catalog/export-formats.ts'
import type { FieldFaults } from '../check/field-faults.ts'
import { checkFileCanHave } from '../check/metric/file-request.ts'
import { metricExportRows, testExportRows } from '../compile/export/export-rows.ts'
import { fileCell, metricFileName, testFileName } from '../compile/export/export-file.ts'
import type { ResolvedFilter } from '../compile/metric/filter-condition.ts'
import { changedPlan, dayRange } from '../compile/metric/metric-plan.ts'
import type { ExportSource } from '../engine/postgres/exports/exports.ts'
import { planMetricRequest } from './plan-metric-request.ts'
import { planTestRequest } from './plan-test-request.ts'
import type { Stores } from '../engine/stores.ts'
import { scopeOfTests, type AskedScope } from './find-scope-warnings.ts'

/** What the export worker needs to write the file of one requested export. */
export type ExportPlan = AskedScope & {
  readonly fileName: string
  readonly filters: readonly ResolvedFilter[]
  /** All panels that the caller can read. The warnings look up filter values on these panels. */
  readonly readable: readonly number[]
  /** SQL that selects the rows of the file: those that ClickHouse stored before `storedBefore`. */
  readonly rows: (database: string, storedBefore: Temporal.Instant) => Sql
}

export type ExportRequest = {
  readonly source: ExportSource
  readonly format: ExportFormat
  readonly request: unknown
  /** Relative dates in the request, such as `-30 days`, count from this instant. */
  readonly now: Temporal.Instant
}

/** Runs when the request arrives, so that an invalid request fails at once, and again in every attempt to write the file. */
export async function planExport(
  scope: Scope,
  stores: Pick<Stores, 'postgres' | 'lookups'>,
  catalog: Catalog,
  { source, format, request, now }: ExportRequest,
  faults?: FieldFaults,
): Promise<ExportPlan> {
  const cell = fileCell(format)
  if (source === 'metric_data') {
    const plan = await planMetricRequest(scope, stores, catalog, request, now, faults)
    checkFileCanHave(plan)
    return {
      ...kept(plan),
      ...scopeOfTests(plan),
      panels: plan.panels,
      erased: plan.erased,
      range: plan.range,
      fileName: metricFileName(plan, format),
      filters: plan.filters,
      readable: plan.readable,
      pooled: plan.pooled,
      rows: (database, storedBefore) => metricExportRows(database, changedPlan(plan, { storedBefore }), cell),
    }
  }
  const plan = await planTestRequest(scope, stores, catalog, request, now, faults)
  return {
    ...kept(plan.test),
    test: plan.test.key,
    panels: plan.panels,
    erased: plan.erased,
    range: dayRange(plan.days),
    fileName: testFileName(plan, format),
    filters: plan.filters,
    readable: plan.readable,
    pooled: [],
    rows: (database, storedBefore) => testExportRows(database, plan, storedBefore, cell),
  }
}

const kept = ({ keepDays }: Pick<TestDefinition, 'keepDays'>): Pick<TestDefinition, 'keepDays'> =>
  keepDays === undefined ? {} : { keepDays }
