import { randomUUID } from 'node:crypto'
import { newMeter } from '../../src/base/audit.ts'
import { exportLimits } from '../../src/base/limits.ts'
import { catalog } from '../../src/catalog/catalog.ts'
import type { ExportFormat } from '../../src/catalog/export-formats.ts'
import { countRows, writeFile } from '../../src/compile/export/export-file.ts'
import { openClickHouse } from '../../src/engine/clickhouse/clickhouse.ts'
import { countExport, writeExport } from '../../src/engine/clickhouse/exports/write-export.ts'
import { logComment } from '../../src/engine/clickhouse/query/query-origin.ts'
import type { ExportSource } from '../../src/engine/postgres/exports/exports.ts'
import { planExport } from '../../src/execute/plan-export.ts'
import { openPostgres } from '../../src/engine/postgres/postgres.ts'
import { clickHouseOptions } from '../../src/serve/config.ts'
import type { Settings } from '../../src/serve/config-schema.ts'

/** An export that the bench has requested. */
export type Asked = { source: ExportSource; format: ExportFormat; request: unknown }

/** The durations of the two statements of an export (write the file, count its rows), run without the service. */
export type BareRun = { readonly rows: number; readonly writeMs: number; readonly countMs: number }

export async function runBareStatements(settings: Settings, asked: Asked): Promise<BareRun> {
  const postgres = openPostgres({ url: settings.BROADGAUGE_POSTGRES_URL, connectionsMax: 2, observe: () => {} })
  const clickhouse = openClickHouse({ ...clickHouseOptions(settings, 'EXPORT'), timeoutMs: exportLimits.timeoutMs })
  try {
    const now = Temporal.Now.instant()
    const plan = await planExport({ organisationId: 1 }, { postgres, lookups: clickhouse }, catalog, { ...asked, now })
    // The file is in the directory of the exports that the service writes, so that the bench removes it together with them.
    const key = `exports/${randomUUID()}/1.${asked.format.key}`
    const [node] = clickhouse.nodes
    if (node === undefined) throw new Error('the engine has no node')
    const scope = { organisationId: 1 }
    // The comment of the statement contains the permitted panels. Without these, the row policies hide all rows.
    const origin = { endpoint: 'bench', requestId: 'bench', panels: plan.panels, meter: newMeter() }
    const comment = logComment(scope, origin)
    const run = () => ({ queryId: randomUUID(), comment, signal: new AbortController().signal })
    const startedAt = performance.now()
    const rows = plan.rows(clickhouse.database, now.add({ hours: 1 }))
    const { written } = await writeExport(node, writeFile(key, asked.format, rows), run())
    const writtenAt = performance.now()
    await countExport(node, countRows(key, asked.format), run())
    return { rows: written, writeMs: writtenAt - startedAt, countMs: performance.now() - writtenAt }
  } finally {
    await Promise.all([postgres.close(), clickhouse.close()])
  }
}
