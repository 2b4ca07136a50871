import { environmentFile, serviceEnvironment } from './environment.ts'
import { superuserUrl } from './postgres/urls.ts'
import type { StackPorts } from './record/ports.ts'
import type { StackRecord } from './record/stack-record.ts'

/** A stack as its users see it. */
export type Stack = {
  name: string
  directory: string
  shards: number
  ports: StackPorts
  /** The variables that the service reads. */
  environment: Record<string, string>
  /** The same variables as a dotenv file. */
  environmentFile: string
  /** PostgreSQL as superuser, for tests. */
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
