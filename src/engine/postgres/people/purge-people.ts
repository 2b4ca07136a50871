import { peopleLimits } from '../../../base/people-limits.ts'
import { runNamed, type Postgres } from '../postgres.ts'

const statements = {
  sessions: { name: 'purge-sessions', text: 'SELECT purge_sessions($1::interval)' },
  events: { name: 'purge-people-events', text: 'SELECT purge_people_events($1::interval)' },
}

/** Those that have been over for so long. Their tokens, useless since then, stay for whoever asks who it was. */
export async function purgeSessions({ pool }: Postgres): Promise<void> {
  await runNamed(pool, statements.sessions, [`${peopleLimits.sessionsKeptDays} days`])
}

export async function purgePeopleEvents({ pool }: Postgres): Promise<void> {
  await runNamed(pool, statements.events, [`${peopleLimits.eventsKeptYears} years`])
}
