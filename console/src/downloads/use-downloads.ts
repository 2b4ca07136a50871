import { useEffect, useState } from 'react'
import { asApiError, type ApiError } from '../api/api-error.ts'
import { findDownloads, type Download } from '../api/console-lists.ts'
import { untilSomebodyIsHere } from '../api/presence.ts'
import type { Session } from '../api/session.ts'

type Listed = {
  readonly downloads: readonly Download[] | null
  readonly error: ApiError | null
  readonly refresh: () => void
}

/** Interval at which the list is read again, because other users of the organisation request files too. */
const refreshMs = 30_000

export function useDownloads(session: Session, limit: number): Listed {
  const [downloads, setDownloads] = useState<readonly Download[] | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  const [version, setVersion] = useState(0)
  const refresh = () => setVersion((before) => before + 1)
  useEffect(() => {
    let isCurrent = true
    const ask = async () => {
      try {
        const found = await findDownloads(session, limit)
        if (isCurrent) setDownloads(found)
        if (isCurrent) setError(null)
      } catch (fault) {
        if (isCurrent) setError(asApiError(fault))
      }
    }
    void ask()
    const timer = setTimeout(() => void untilSomebodyIsHere().then(() => isCurrent && refresh()), refreshMs)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [session, limit, version])
  return { downloads, error, refresh }
}
