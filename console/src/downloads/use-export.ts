import { useEffect, useState } from 'react'
import { asApiError, type ApiError } from '../api/api-error.ts'
import { untilSomebodyIsHere } from '../api/presence.ts'
import { readExport, type ExportState } from '../api/exports.ts'
import type { Session } from '../api/session.ts'

export type Followed = { readonly state: ExportState | null; readonly error: ApiError | null }

/** Links are valid for an hour. Each response about the export contains a new link, so the page always has a valid one. */
const linkRefreshMs = 30 * 60_000
const firstWaitMs = 500
const longestWaitMs = 5_000

/** Polls at increasing intervals until the file is complete. After that it polls every half hour for a new link. */
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
