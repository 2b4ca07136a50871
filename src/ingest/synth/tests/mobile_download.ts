import { sql } from '../../../base/sql.ts'
import mobileDownload from '../../../catalog/tests/mobile_download.ts'
import { mobileTransfer } from './mobile-transfer.ts'

export default mobileTransfer(mobileDownload, sql`radio_down`)
