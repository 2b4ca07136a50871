import { useEffect, useState } from 'react'
import { ApiError, isAbort } from '../api/api-error.ts'
import type { Session } from '../api/session.ts'
import { streamTestData, type TestDataRequest, type TestRecord } from '../api/test-data.ts'

export type Records = {
  readonly rows: readonly TestRecord[]
  readonly status: 'idle' | 'loading' | 'whole' | 'stopped' | 'full' | 'failed'
  readonly error: ApiError | null
}

/** As much as a tab holds with ease; beyond it a file is the better way. */
export const recordsMax = 100_000
/** Drawing for every piece that arrives would be all the page does. */
const drawEveryMs = 200

const nothing: Records = { rows: [], status: 'idle', error: null }

/** Records of a request as they arrive; `stop` ends the query in the engine too. */
export function useRecords(session: Session): {
  records: Records
  start: (request: TestDataRequest) => void
  stop: () => void
} {
  const [records, setRecords] = useState<Records>(nothing)
  const [running, setRunning] = useState<AbortController | null>(null)
  useEffect(() => () => running?.abort(), [running])
  const start = (request: TestDataRequest) => {
    const controller = new AbortController()
    setRunning(controller)
    setRecords({ ...nothing, status: 'loading' })
    void follow(session, request, controller, setRecords)
  }
  return { records, start, stop: () => running?.abort() }
}

async function follow(
  session: Session,
  request: TestDataRequest,
  controller: AbortController,
  show: (change: (before: Records) => Records) => void,
): Promise<void> {
  const rows: TestRecord[] = []
  let drawnAt = 0
  const draw = (status: Records['status'], error: ApiError | null = null) =>
    show(() => ({ rows: rows.slice(), status, error }))
  try {
    for await (const arrived of streamTestData(session, request, controller.signal)) {
      rows.push(...arrived.slice(0, recordsMax - rows.length))
      if (rows.length >= recordsMax) {
        controller.abort()
        draw('full')
        return
      }
      if (performance.now() - drawnAt < drawEveryMs) continue
      drawnAt = performance.now()
      draw('loading')
    }
    draw('whole')
  } catch (error) {
    if (isAbort(error))
      show((before) => (before.status === 'loading' ? { ...before, rows, status: 'stopped' } : before))
    else draw('failed', error instanceof ApiError ? error : new ApiError(0, 'UNKNOWN_ERROR', String(error)))
  }
}
