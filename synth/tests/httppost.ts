import { sql } from '../../src/base/sql.ts'
import httppost from '../../src/catalog/tests/httppost.ts'
import { transfer } from './transfer.ts'

export default transfer(httppost, sql`advertised_up`)
