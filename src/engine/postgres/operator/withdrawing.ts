import { inTransaction, operate, type Operator } from './operator.ts'

/**
 * Makes a change by which an organisation may read less than before, if it says so. Which files hold what it has lost cannot
 * be told; they can be asked for again. Those that wait are planned by what it may read then. Once more afterwards: one
 * that was waiting and was planned before the change is being written by now.
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
