import type { ApiError } from '../api/api-error.ts'
import type { Answered } from './use-metric-data.ts'

/** A browser lays out this much text without a pause; the whole can be copied. */
const pointsMax = 200

export function answerText(answered: Answered | null, error: ApiError | null): { text: string; note: string } {
  if (error !== null) {
    const { code, message, fields } = error
    const errors = Object.keys(fields).length === 0 ? {} : { errors: fields }
    return { text: JSON.stringify({ code, message, ...errors }, null, 2), note: `Status ${error.status}` }
  }
  if (answered === null) return { text: '', note: 'There is no answer yet.' }
  let left = pointsMax
  const points = answered.answer.reduce((sum, { metricData }) => sum + metricData.length, 0)
  const first = answered.answer.flatMap(({ metricData }) => {
    const taken = metricData.slice(0, left)
    left -= taken.length
    return taken.length === 0 && metricData.length > 0 ? [] : [{ metricData: taken }]
  })
  const note =
    points > pointsMax
      ? `The first ${pointsMax} of ${points.toLocaleString('en')} points; “Copy” takes all of them.`
      : `${points} points, all of them`
  return { text: JSON.stringify({ code: 'OK', message: 'Request successful', data: first }, null, 2), note }
}
