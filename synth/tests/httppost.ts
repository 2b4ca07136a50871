import httppost from '../../src/catalog/tests/httppost.ts'
import { transfer } from './transfer.ts'

export default transfer(httppost, 245, 'up')
