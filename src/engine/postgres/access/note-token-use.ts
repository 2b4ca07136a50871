import { runNamed, type Postgres } from '../postgres.ts'

const statement = { name: 'note-token-use', text: 'SELECT note_token_use($1, $2)' }

export async function noteTokenUse({ pool }: Postgres, tokenIds: number[], usedAt: Temporal.Instant): Promise<void> {
  await runNamed(pool, statement, [tokenIds, usedAt.toString()])
}
