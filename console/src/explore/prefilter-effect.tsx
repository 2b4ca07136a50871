import { useState } from 'react'
import { runMetricRequest } from '../api/metric-data.ts'
import { shareText } from '../chart/numbers.ts'
import type { ControlsProps } from './controls-props.ts'
import { metricRequest } from './metric-request.ts'

/** Shows what the prefilter excludes: the totals of the same query with and without the prefilter. */
export function PrefilterEffect({ session, state }: ControlsProps) {
  const [said, setSaid] = useState<string | null>(null)
  const ask = async () => {
    setSaid('Counting …')
    const { signal } = new AbortController()
    const request = metricRequest({ ...state, isRaw: false, aggregation: 'total', splits: [], normalised: false })
    const count = async (prefilter: boolean) => {
      const { answer } = await runMetricRequest(session, { ...request, prefilter }, signal)
      return answer[0]?.metricData[0] ?? null
    }
    const [all, kept] = await Promise.all([count(false), count(true)])
    if (all === null) return setSaid('There are no results in this range.')
    const left = all.sampleCount - (kept?.sampleCount ?? 0)
    const share = shareText(left, all.sampleCount)
    setSaid(`Of ${all.sampleCount.toLocaleString('en')} results it leaves out ${left.toLocaleString('en')} (${share}).`)
  }
  // A preset can use only some hours and some agents, so the totals would not be about its results.
  if (state.preset !== '') return null
  if (said !== null) return <span role="status">{said}</span>
  return (
    <button
      type="button"
      className="link"
      onClick={() => void ask().catch(() => setSaid('This could not be counted.'))}
    >
      What does this exclude?
    </button>
  )
}
