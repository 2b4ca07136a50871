import { exportRoute } from '../export-route.ts'

export default exportRoute({ path: '/metric_data_download', source: 'metric_data', waits: false })
