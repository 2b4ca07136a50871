import { sql } from '../../../base/sql.ts'
import httppost from '../../../catalog/tests/httppost.ts'
import { transfer } from './transfer.ts'

export default transfer(httppost, sql`advertised_up`)
