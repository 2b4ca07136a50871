import { Client, type QueryResultRow } from 'pg'

/** Runs one statement on its own connection. */
export async function runSql<Row extends QueryResultRow>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const result = await client.query<Row>(text, values)
    return result.rows
  } finally {
    await client.end()
  }
}

export function onDatabase(url: string, database: string): string {
  const changed = new URL(url)
  changed.pathname = `/${database}`
  return changed.href
}
