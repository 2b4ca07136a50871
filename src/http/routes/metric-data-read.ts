import { checkQueryString } from '../../check/metric/query-string.ts'
import { checkFormatOf } from '../../check/response-format.ts'
import { defineRoute } from '../define-route.ts'
import { answerMetricData } from '../metric-answer.ts'

/** The same as the POST, for programs that can only read a URL. */
export default defineRoute('data', 'GET', '/metric_data', 'data:read', async (context, caller, given) => {
  const { format: key, ...query } = given.query
  const { format } = checkFormatOf(undefined, key === undefined ? {} : { format: key }, given.headers['accept'])
  const { body, named } = checkQueryString(query)
  try {
    return await answerMetricData(context, caller, given, { format, request: body })
  } catch (error) {
    throw named(error)
  }
})
