import { environmentFile, serviceEnvironment } from './environment.ts'
import { superuserUrl } from './postgres/urls.ts'
import type { StackPorts } from './record/ports.ts'
import type { StackRecord } from './record/stack-record.ts'

/** The addresses and settings of a stack, for its users. */
export type Stack = {
  name: string
  directory: string
  shards: number
  ports: StackPorts
  /** The environment variables that the service reads. */
  environment: Record<string, string>
  /** Path of a dotenv file with the same variables. */
  environmentFile: string
  /** URL of PostgreSQL with the superuser, for tests. */
  superuserUrl: string
}

export function toStack(record: StackRecord): Stack {
  return {
    name: record.name,
    directory: record.directory,
    shards: record.shards,
    ports: record.ports,
    environment: serviceEnvironment(record),
    environmentFile: environmentFile(record),
    superuserUrl: superuserUrl(record),
  }
}
