import { exportRoute } from '../export-route.ts'

export default exportRoute({ path: '/metric_data.csv', source: 'metric_data', waits: true })
