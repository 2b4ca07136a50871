import { randomBytes } from 'node:crypto'

export type StackSecrets = {
  postgres: { superuser: string; admin: string; service: string; dictionary: string }
  clickhouse: Record<'admin' | 'query' | 'stream' | 'dictionary' | 'ingest' | 'export' | 'cluster', string>
  objects: { accessKeyId: string; secretAccessKey: string }
}

export function newSecrets(): StackSecrets {
  return {
    postgres: { superuser: secret(), admin: secret(), service: secret(), dictionary: secret() },
    clickhouse: {
      admin: secret(),
      query: secret(),
      stream: secret(),
      dictionary: secret(),
      ingest: secret(),
      export: secret(),
      cluster: secret(),
    },
    objects: { accessKeyId: randomBytes(10).toString('hex').toUpperCase(), secretAccessKey: secret() },
  }
}

/** Returns the secrets of an existing stack, and creates those that are missing. */
export function completeSecrets(stored: StackSecrets): StackSecrets {
  const fresh = newSecrets()
  return {
    postgres: { ...fresh.postgres, ...stored.postgres },
    clickhouse: { ...fresh.clickhouse, ...stored.clickhouse },
    objects: { ...fresh.objects, ...stored.objects },
  }
}

// Hexadecimal, because such a secret needs no escaping in a URL, in XML, in SQL and in an env file.
function secret(): string {
  return randomBytes(20).toString('hex')
}
