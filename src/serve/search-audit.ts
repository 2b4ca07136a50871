import { auditSearch, type AuditSearch } from '../compile/audit-search.ts'
import { openClickHouse } from '../engine/clickhouse/clickhouse.ts'
import { findSelected } from '../engine/clickhouse/find-selected.ts'
import { asOperator } from '../engine/postgres/operator/operator.ts'
import { findOrganisations, readOrganisation } from '../engine/postgres/operator/organisations.ts'
import { openPostgres } from '../engine/postgres/postgres.ts'
import { emptyAuditQueue } from '../jobs/audit-mover.ts'
import { auditIsMoved, patiently } from './patiently.ts'
import { adminUrl, clickHouseOptions } from './config.ts'
import type { Settings } from './config-schema.ts'

type AuditRow = Readonly<Record<string, unknown>> & { organisation: number }

/** What is still on its way is brought in first: nothing that was answered is missing, whoever has died. */
export async function searchAudit(
  settings: Settings,
  organisationKey: string | null,
  search: Omit<AuditSearch, 'organisation'>,
): Promise<object[]> {
  const clickhouse = openClickHouse(clickHouseOptions(settings, 'ADMIN'))
  const postgres = openPostgres({ url: adminUrl(settings), connectionsMax: 2, observe: () => {} })
  try {
    const { organisation, keys } = await asOperator(adminUrl(settings), async (operator) => ({
      organisation: organisationKey === null ? null : (await readOrganisation(operator, organisationKey)).id,
      keys: new Map((await findOrganisations(operator)).map(({ id, key }) => [id, key])),
    }))
    // Also when one of the service's copies is at it, whose rows are in neither place for a moment.
    await patiently(() => emptyAuditQueue({ postgres, clickhouse }), auditIsMoved)
    const rows = await findSelected<AuditRow>(clickhouse, auditSearch(clickhouse.database, { ...search, organisation }))
    return rows.map((row) => ({ ...row, organisation: keys.get(row.organisation) ?? row.organisation }))
  } finally {
    await Promise.all([clickhouse.close(), postgres.close()])
  }
}
