import type { PublicRoute, Route } from '../define-route.ts'
import filters from './filters.ts'
import ingest from './ingest.ts'
import metadataHistory from './metadata-history.ts'
import metadataRead from './metadata-read.ts'
import metadataChange from './metadata-change.ts'
import metricData from './metric-data.ts'
import metrics from './metrics.ts'
import responseInternalServerError from './response-internal-server-error.ts'
import splits from './splits.ts'
import testData from './test-data.ts'
import tests from './tests.ts'

export const routes: readonly (Route | PublicRoute)[] = [
  filters,
  ingest,
  metadataChange,
  metadataHistory,
  metadataRead,
  metricData,
  metrics,
  responseInternalServerError,
  splits,
  testData,
  tests,
]
