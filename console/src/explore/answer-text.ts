import type { ApiError } from '../api/api-error.ts'
import type { Answered, MetricData } from './use-metric-data.ts'

/** Maximum number of points in the shown text. A browser displays them without delay. “Copy” copies all points. */
const pointsMax = 200

type AnswerText = { readonly text: string; readonly note: string }

/** The response as received. While a new response is awaited, the text is the previous one, and the note says so. */
export function answerText({ answered, error, isLoading }: MetricData): AnswerText {
  const came = error !== null ? errorText(error) : answered !== null ? pointsText(answered) : null
  if (came === null) return { text: '', note: 'There is no answer yet.' }
  const { text, note } = came
  return { text, note: isLoading ? `From the previous request; waiting for the new answer. ${note}` : note }
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
  const warned = warnings.length === 0 ? {} : { warnings }
  return { text: JSON.stringify({ code: 'OK', message: 'Request successful', data: first, ...warned }, null, 2), note }
}
