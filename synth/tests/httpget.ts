import { sql } from '../../src/base/sql.ts'
import httpget from '../../src/catalog/tests/httpget.ts'
import { transfer } from './transfer.ts'

export default transfer(httpget, sql`advertised_down`)
