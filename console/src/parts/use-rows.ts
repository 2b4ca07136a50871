import { useEffect, useRef, useState } from 'react'
import { asApiError, isAbort, type ApiError } from '../api/api-error.ts'

export type Rows<Request, Row> = {
  /** The request that returned the rows. The user may have changed the form since this request was sent. */
  readonly asked: Request | null
  readonly rows: readonly Row[]
  readonly status: 'idle' | 'loading' | 'whole' | 'stopped' | 'full' | 'failed'
  readonly error: ApiError | null
}

/** Maximum number of rows, which a browser tab can hold without problems. For more rows, the user can request a file. */
export const rowsMax = 100_000
/** Interval between two drawings. Drawing every piece of the response as it arrives would keep the page busy. */
const drawEveryMs = 200

type Open<Request, Row> = (request: Request, signal: AbortSignal) => AsyncGenerator<Row[]>

/**
 * Returns the rows of a request as they arrive. `stop`, another `start` and leaving the page also end the query in ClickHouse.
 */
export function useRows<Request, Row>(
  open: Open<Request, Row>,
): { records: Rows<Request, Row>; start: (request: Request) => void; stop: () => void } {
  const [records, setRecords] = useState<Rows<Request, Row>>({ asked: null, rows: [], status: 'idle', error: null })
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])
  const start = (request: Request) => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    setRecords({ asked: request, rows: [], status: 'loading', error: null })
    void follow(open, request, controller, (change) => {
      // Ignore calls of a cancelled request.
      if (running.current === controller) setRecords(change)
    })
  }
  return { records, start, stop: () => running.current?.abort() }
}

async function follow<Request, Row>(
  open: Open<Request, Row>,
  request: Request,
  controller: AbortController,
  show: (change: (before: Rows<Request, Row>) => Rows<Request, Row>) => void,
): Promise<void> {
  const rows: Row[] = []
  let drawnAt = 0
  const draw = (status: Rows<Request, Row>['status'], error: ApiError | null = null) =>
    show(() => ({ asked: request, rows: rows.slice(), status, error }))
  try {
    for await (const arrived of open(request, controller.signal)) {
      rows.push(...arrived.slice(0, rowsMax - rows.length))
      if (rows.length >= rowsMax) {
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
    else draw('failed', asApiError(error))
  }
}
