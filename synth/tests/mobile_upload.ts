import { sql } from '../../src/base/sql.ts'
import mobileUpload from '../../src/catalog/tests/mobile_upload.ts'
import { mobileTransfer } from './mobile-transfer.ts'

export default mobileTransfer(mobileUpload, 60, sql`radio_up`)
