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

/** Secrets of a stack made before one of them was needed: those it has, and new ones for the rest. */
export function completeSecrets(stored: StackSecrets): StackSecrets {
  const fresh = newSecrets()
  return {
    postgres: { ...fresh.postgres, ...stored.postgres },
    clickhouse: { ...fresh.clickhouse, ...stored.clickhouse },
    objects: { ...fresh.objects, ...stored.objects },
  }
}

// Hexadecimal, so that a secret means the same in a URL, in XML, in SQL and in an env file.
function secret(): string {
  return randomBytes(20).toString('hex')
}
