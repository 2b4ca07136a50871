import { runSql } from '../../kit/run-sql.ts'
import type { World } from '../../kit/world.ts'
import type { Tally } from './tally.ts'
import { callers, type TenantName } from './tenant-world.ts'

/** The rows of users, sessions and tokens, without the columns that change at every use. */
export async function readStanding({ superuserUrl }: World): Promise<ReadonlyMap<string, string>> {
  const rows = await runSql<{ key: string; row: string }>(
    superuserUrl,
    `SELECT 'user ' || id AS key, to_jsonb(users)::text AS row FROM users
     UNION ALL SELECT 'session ' || id, (to_jsonb(sessions) - 'seen_at')::text FROM sessions
     UNION ALL SELECT 'token ' || id, (to_jsonb(tokens) - 'last_used_at'
       - CASE WHEN session_id IS NULL THEN ARRAY[]::text[] ELSE ARRAY['expires_at'] END)::text FROM tokens`,
  )
  return new Map(rows.map(({ key, row }) => [key, row]))
}

/** Checks after all attempts that the existing rows are unchanged, and that each new row was created by its owner. */
export async function lookForEffects(world: World, tally: Tally, before: ReadonlyMap<string, string>): Promise<void> {
  const after = await readStanding(world)
  for (const [key, row] of before) {
    if (after.get(key) !== row) tally.breach('Z4', 'changed by another tenant', `${key}: ${row} is ${after.get(key)}`)
  }
  await lookForTokens(world, tally)
  await lookForSessions(world, tally, before)
  const astray = await runSql(
    world.superuserUrl,
    `SELECT e.id, e.kind FROM people_events e JOIN users u ON u.id = e.user_id LEFT JOIN tokens t ON t.id = e.token_id
     WHERE e.organisation_id <> u.organisation_id OR t.organisation_id <> e.organisation_id
       OR (e.kind LIKE 'token-%' AND u.role <> 'administrator')`,
  )
  if (astray.length > 0) tally.breach('Z4', 'recorded for another person', JSON.stringify(astray[0]))
}

type Made = { id: number; label: string; owner: TenantName; maker: TenantName | null; role: string | null }

async function lookForTokens({ superuserUrl }: World, tally: Tally): Promise<void> {
  const made = await runSql<Made>(
    superuserUrl,
    `SELECT t.id, t.label, o.key AS owner, m.key AS maker, u.role FROM tokens t JOIN organisations o ON o.id = t.organisation_id
     LEFT JOIN users u ON u.id = t.created_by LEFT JOIN organisations m ON m.id = u.organisation_id
     WHERE t.label LIKE 'qz-%-new'`,
  )
  for (const one of made) {
    const isRight = one.label === `qz-${one.owner}-new` && one.maker === one.owner && one.role === 'administrator'
    if (!isRight) tally.breach('Z4', 'a token made for another person', JSON.stringify(one))
  }
  if (made.length !== tally.counted('tokens made'))
    tally.breach('Z4', 'tokens that no person received', `${made.length}, given ${tally.counted('tokens made')}`)
}

async function lookForSessions(
  { superuserUrl }: World,
  tally: Tally,
  before: ReadonlyMap<string, string>,
): Promise<void> {
  const sessions = await runSql<{ id: number; owner: TenantName; astray: boolean }>(
    superuserUrl,
    `SELECT s.id, o.key AS owner, s.organisation_id <> u.organisation_id OR t.organisation_id <> u.organisation_id AS astray
     FROM sessions s JOIN users u ON u.id = s.user_id JOIN organisations o ON o.id = u.organisation_id
     JOIN tokens t ON t.session_id = s.id`,
  )
  const twofold = sessions.find(({ astray }) => astray)
  if (twofold !== undefined) tally.breach('Z4', 'a session of two organisations', JSON.stringify(twofold))
  const begun = sessions.filter(({ id }) => !before.has(`session ${id}`))
  for (const caller of callers) {
    const count = begun.filter(({ owner }) => owner === caller).length
    const known = tally.counted(`sessions of ${caller}`)
    if (count !== known)
      tally.breach('Z4', 'a session that no person should have', `${caller}: ${count}, known ${known}`)
  }
}

/**
 * Resets the limits of sign-in attempts. If such a limit refused a request, the request would not reach the checks that
 * the attack tests.
 */
export const forgetAttempts = ({ superuserUrl }: World): Promise<unknown> =>
  runSql(superuserUrl, `DELETE FROM limit_buckets WHERE kind LIKE 'sign-in-%'`)
