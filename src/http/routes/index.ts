import type { PublicRoute, Route } from '../define-route.ts'
import metrics from './metrics.ts'
import responseInternalServerError from './response-internal-server-error.ts'
import tests from './tests.ts'

export const routes: readonly (Route | PublicRoute)[] = [metrics, responseInternalServerError, tests]
