import { inTransaction, operate, type Operator } from './operator.ts'

/**
 * Runs a change of an organisation's rights. If the change returns true, the organisation has lost rights, and its running and
 * complete exports are cancelled. They can contain data that the organisation may no longer read. The organisation can request
 * them again. Queued exports are planned with the new rights. The cancellation is repeated after the commit, because a worker
 * can have planned a queued export with the old rights just before the commit.
 */
export async function withdrawing(
  operator: Operator,
  organisationId: number,
  change: () => Promise<boolean>,
): Promise<void> {
  const withdraw = () => operate(operator, withdrawal, [organisationId])
  const isLess = await inTransaction(operator, async () => {
    const lost = await change()
    if (lost) await withdraw()
    return lost
  })
  if (isLess) await withdraw()
}

const withdrawal = `UPDATE exports SET status = 'cancelled', leased_until = NULL, finished_at = now()
  WHERE organisation_id = $1 AND status IN ('running', 'complete')`
