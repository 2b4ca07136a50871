import { inTransaction, operate, OperatorError, type Operator } from './operator.ts'
import { withdrawing } from './withdrawing.ts'

export type Organisation = {
  id: number
  key: string
  name: string
  tests: string[]
  metrics: string[]
  /** Origins whose pages may show share links in a frame. */
  frame_origins: string[]
}

/** Keys of tests and metrics. `['*']` means all keys, including those that are added later. */
export type EntitlementChange = { tests?: readonly string[]; metrics?: readonly string[] }

export async function createOrganisation(
  operator: Operator,
  { key, name, ...entitlements }: { key: string; name: string } & Required<EntitlementChange>,
): Promise<Organisation> {
  return inTransaction(operator, async () => {
    await operate(operator, 'INSERT INTO organisations (key, name) VALUES ($1, $2)', [key, name])
    await replaceEntitlements(operator, key, entitlements)
    return readOrganisation(operator, key)
  })
}

export async function changeEntitlements(
  operator: Operator,
  key: string,
  change: EntitlementChange,
): Promise<Organisation> {
  const { id } = await readOrganisation(operator, key)
  await withdrawing(operator, id, async () => {
    const before = await readOrganisation(operator, key)
    await replaceEntitlements(operator, key, change)
    const after = await readOrganisation(operator, key)
    return isLess(after.tests, before.tests) || isLess(after.metrics, before.metrics)
  })
  return readOrganisation(operator, key)
}

/** The next request of a link follows the change. */
export async function changeFrameOrigins(
  operator: Operator,
  key: string,
  origins: readonly string[],
): Promise<Organisation> {
  await operate(operator, 'UPDATE organisations SET frame_origins = $2 WHERE key = $1', [key, origins])
  return readOrganisation(operator, key)
}

/** Returns true if `before` has a key that `after` does not have. */
const isLess = (after: readonly string[], before: readonly string[]): boolean =>
  !after.includes('*') && before.some((key) => !after.includes(key))

export const findOrganisations = (operator: Operator): Promise<Organisation[]> =>
  operate<Organisation>(operator, `${selection} ORDER BY key`)

export async function readOrganisation(operator: Operator, key: string): Promise<Organisation> {
  const [organisation] = await operate<Organisation>(operator, `${selection} WHERE key = $1`, [key])
  if (organisation === undefined) throw new OperatorError(`There is no organisation "${key}"; see: broadgauge org list`)
  return organisation
}

const selection = `
  SELECT id, key, name,
    ARRAY(SELECT key FROM entitlements e WHERE e.organisation_id = o.id AND subject = 'test' ORDER BY 1) AS tests,
    ARRAY(SELECT key FROM entitlements e WHERE e.organisation_id = o.id AND subject = 'metric' ORDER BY 1) AS metrics,
    frame_origins
  FROM organisations o`

async function replaceEntitlements(operator: Operator, key: string, change: EntitlementChange): Promise<void> {
  for (const [subject, keys] of [
    ['test', change.tests],
    ['metric', change.metrics],
  ] as const) {
    if (keys === undefined) continue
    await operate(
      operator,
      `DELETE FROM entitlements USING organisations o WHERE o.id = organisation_id AND o.key = $1 AND subject = $2`,
      [key, subject],
    )
    await operate(
      operator,
      `INSERT INTO entitlements (organisation_id, subject, key)
       SELECT DISTINCT o.id, $2, entitled FROM organisations o, unnest($3::text[]) AS entitled WHERE o.key = $1`,
      [key, subject, keys],
    )
  }
}
