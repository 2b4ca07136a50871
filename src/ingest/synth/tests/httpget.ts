import { sql } from '../../../base/sql.ts'
import httpget from '../../../catalog/tests/httpget.ts'
import { transfer } from './transfer.ts'

export default transfer(httpget, sql`advertised_down`)
