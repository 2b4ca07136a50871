import { exportRoute } from '../export-route.ts'

export default exportRoute({ path: '/test_data.csv', source: 'test_data', waits: true })
