import type { PublicRoute, Route } from '../define-route.ts'
import download from './download.ts'
import downloadCancel from './download-cancel.ts'
import filterValues from './filter-values.ts'
import filters from './filters.ts'
import ingest from './ingest.ts'
import metadataHistory from './metadata-history.ts'
import metadataRead from './metadata-read.ts'
import metadataChange from './metadata-change.ts'
import metricData from './metric-data.ts'
import metricDataCsv from './metric-data-csv.ts'
import metricDataEstimate from './metric-data-estimate.ts'
import metricDataRead from './metric-data-read.ts'
import metricDataDownload from './metric-data-download.ts'
import metrics from './metrics.ts'
import presets from './presets.ts'
import { questionRoutes } from './questions/index.ts'
import responseInternalServerError from './response-internal-server-error.ts'
import splits from './splits.ts'
import testData from './test-data.ts'
import testDataCsv from './test-data-csv.ts'
import testDataEstimate from './test-data-estimate.ts'
import testDataDownload from './test-data-download.ts'
import tests from './tests.ts'

export const routes: readonly (Route | PublicRoute)[] = [
  download,
  downloadCancel,
  filterValues,
  filters,
  ingest,
  metadataChange,
  metadataHistory,
  metadataRead,
  metricData,
  metricDataCsv,
  metricDataDownload,
  metricDataEstimate,
  metricDataRead,
  metrics,
  presets,
  ...questionRoutes('data'),
  responseInternalServerError,
  splits,
  testData,
  testDataCsv,
  testDataDownload,
  testDataEstimate,
  tests,
]
