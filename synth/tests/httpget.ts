import httpget from '../../src/catalog/tests/httpget.ts'
import { transfer } from './transfer.ts'

export default transfer(httpget, 200, 'down')
