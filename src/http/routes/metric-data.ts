import { checkFormatOf } from '../../check/response-format.ts'
import { defineRoute } from '../define-route.ts'
import { answerMetricData } from '../metric-answer.ts'

export default defineRoute('data', 'POST', '/metric_data', 'data:read', async (context, caller, given) => {
  const { body, query, headers } = given
  return answerMetricData(context, caller, given, checkFormatOf(body, query, headers['accept']))
})
