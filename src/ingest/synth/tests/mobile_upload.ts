import { sql } from '../../../base/sql.ts'
import mobileUpload from '../../../catalog/tests/mobile_upload.ts'
import { mobileTransfer } from './mobile-transfer.ts'

export default mobileTransfer(mobileUpload, sql`radio_up`)
