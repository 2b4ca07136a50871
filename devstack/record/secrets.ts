import { randomBytes } from 'node:crypto'

export type StackSecrets = {
  postgres: { superuser: string; admin: string; service: string; dictionary: string }
  clickhouse: { admin: string; query: string; dictionary: string; ingest: string; export: string; cluster: string }
  objects: { accessKeyId: string; secretAccessKey: string }
}

export function newSecrets(): StackSecrets {
  return {
    postgres: { superuser: secret(), admin: secret(), service: secret(), dictionary: secret() },
    clickhouse: {
      admin: secret(),
      query: secret(),
      dictionary: secret(),
      ingest: secret(),
      export: secret(),
      cluster: secret(),
    },
    objects: { accessKeyId: randomBytes(10).toString('hex').toUpperCase(), secretAccessKey: secret() },
  }
}

// Hexadecimal, so that a secret means the same in a URL, in XML, in SQL and in an env file.
function secret(): string {
  return randomBytes(20).toString('hex')
}
