import { exportRoute } from '../export-route.ts'

export default exportRoute({ path: '/test_data_download', source: 'test_data', waits: false })
