import { sql } from '../../src/base/sql.ts'
import mobileDownload from '../../src/catalog/tests/mobile_download.ts'
import { mobileTransfer } from './mobile-transfer.ts'

export default mobileTransfer(mobileDownload, 30, sql`radio_down`)
