import { useEffect, useState } from 'react'
import { asApiError, type ApiError } from '../api/api-error.ts'
import { untilSomebodyIsHere } from '../api/presence.ts'
import { readExport, type ExportState } from '../api/exports.ts'
import type { Session } from '../api/session.ts'

export type Followed = { readonly state: ExportState | null; readonly error: ApiError | null }

/** Links are good for an hour, and each reading has a new one. */
const linkRefreshMs = 30 * 60_000
const firstWaitMs = 500
const longestWaitMs = 5_000

/** Asks again, less and less often, until the file is there; then now and then for a fresh link. */
export function useExport(session: Session, id: string): Followed {
  const [followed, setFollowed] = useState<Followed>({ state: null, error: null })
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let isOver = false
    const ask = async (waitMs: number) => {
      const next = await readExport(session, id).then(
        (state): Followed => ({ state, error: null }),
        (error: unknown): Followed => ({ state: null, error: asApiError(error) }),
      )
      if (isOver) return
      setFollowed((before) => ({ state: next.state ?? before.state, error: next.error }))
      if (next.error?.status === 404 || next.state?.status === 'failed') return
      const wait = next.state?.status === 'complete' ? linkRefreshMs : waitMs
      const again = () => (isOver ? undefined : ask(Math.min(waitMs * 1.5, longestWaitMs)))
      timer = setTimeout(() => void untilSomebodyIsHere().then(again), wait)
    }
    void ask(firstWaitMs)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [session, id])
  return followed
}
