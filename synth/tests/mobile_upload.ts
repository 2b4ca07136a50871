import { sql } from '../../src/base/sql.ts'
import mobileUpload from '../../src/catalog/tests/mobile_upload.ts'
import { mobileTransfer } from './mobile-transfer.ts'

export default mobileTransfer(mobileUpload, sql`radio_up`)
