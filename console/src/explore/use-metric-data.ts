import { useEffect, useState } from 'react'
import { ApiError, isAbort } from '../api/api-error.ts'
import { runMetricRequest, type MetricAnswer, type MetricRequest } from '../api/metric-data.ts'
import type { Warning } from '../api/call-service.ts'
import type { Session } from '../api/session.ts'

export type Answered = {
  readonly request: MetricRequest
  readonly answer: MetricAnswer
  readonly warnings: readonly Warning[]
  readonly milliseconds: number
}
export type MetricData = {
  /** The latest response. While a new response is awaited, this is the previous one. */
  readonly answered: Answered | null
  readonly error: ApiError | null
  readonly isLoading: boolean
}

/** If controls change several times within this time, only one request is sent. */
const restMs = 150

/** Sends the request whenever it changes. This cancels the previous request, and its query in ClickHouse. */
export function useMetricData(session: Session, request: MetricRequest, attempt: number): MetricData {
  const [data, setData] = useState<MetricData>({ answered: null, error: null, isLoading: true })
  const text = JSON.stringify(request)
  useEffect(() => {
    const controller = new AbortController()
    setData(({ answered, error }) => ({ answered, error, isLoading: true }))
    const ask = async () => {
      const asked: MetricRequest = JSON.parse(text)
      const started = performance.now()
      try {
        const { answer, warnings } = await runMetricRequest(session, asked, controller.signal)
        const milliseconds = performance.now() - started
        setData({ answered: { request: asked, answer, warnings, milliseconds }, error: null, isLoading: false })
      } catch (error) {
        if (isAbort(error)) return
        const fault = error instanceof ApiError ? error : new ApiError(0, 'UNKNOWN_ERROR', String(error))
        setData({ answered: null, error: fault, isLoading: false })
      }
    }
    const timer = setTimeout(() => void ask(), restMs)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [session, text, attempt])
  return data
}
