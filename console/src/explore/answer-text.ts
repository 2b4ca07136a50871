import type { ApiError } from '../api/api-error.ts'
import type { Answered, MetricData } from './use-metric-data.ts'

/** A browser lays out this much text without a pause; the whole can be copied. */
const pointsMax = 200

type AnswerText = { readonly text: string; readonly note: string }

/** The answer as it came; while another is awaited, it is still the one to the request before, and says so. */
export function answerText({ answered, error, isLoading }: MetricData): AnswerText {
  const came = error !== null ? errorText(error) : answered !== null ? pointsText(answered) : null
  if (came === null) return { text: '', note: 'There is no answer yet.' }
  const { text, note } = came
  return { text, note: isLoading ? `Still of the request before; the new answer is awaited. ${note}` : note }
}

function errorText({ status, code, message, fields, details }: ApiError): AnswerText {
  const errors = Object.keys(fields).length === 0 ? {} : { errors: fields }
  const helps = Object.keys(details).length === 0 ? {} : { details }
  return { text: JSON.stringify({ code, message, ...errors, ...helps }, null, 2), note: `Status ${status}` }
}

function pointsText({ answer, warnings }: Answered): AnswerText {
  let left = pointsMax
  const points = answer.reduce((sum, { metricData }) => sum + metricData.length, 0)
  const first = answer.flatMap(({ metricData }) => {
    const taken = metricData.slice(0, left)
    left -= taken.length
    return taken.length === 0 && metricData.length > 0 ? [] : [{ metricData: taken }]
  })
  const note =
    points > pointsMax
      ? `The first ${pointsMax} of ${points.toLocaleString('en')} points; “Copy” takes all of them.`
      : `${points} points, all of them`
  const told = warnings.length === 0 ? {} : { warnings }
  return { text: JSON.stringify({ code: 'OK', message: 'Request successful', data: first, ...told }, null, 2), note }
}
