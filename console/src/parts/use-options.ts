import { useEffect, useRef, useState } from 'react'
import { ApiError, isAbort } from '../api/api-error.ts'
import type { Option } from './option-list.tsx'

type Found = { options: readonly Option[]; isLoading: boolean; failure: string | null }

/** The search starts this long after the last key press, because the user may continue to type. */
const restMs = 180

export function useOptions(
  isOpen: boolean,
  search: string,
  find: (search: string, signal: AbortSignal) => Promise<Option[]>,
): Found {
  const [found, setFound] = useState<Found>({ options: [], isLoading: false, failure: null })
  const finder = useRef(find)
  useEffect(() => {
    finder.current = find
  })
  useEffect(() => {
    if (!isOpen) return undefined
    const controller = new AbortController()
    setFound(({ options }) => ({ options, isLoading: true, failure: null }))
    const ask = () =>
      finder
        .current(search, controller.signal)
        .then((options) => setFound({ options, isLoading: false, failure: null }))
        .catch((error: unknown) => {
          if (!isAbort(error)) setFound({ options: [], isLoading: false, failure: failureOf(error) })
        })
    const timer = setTimeout(() => void ask(), restMs)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [isOpen, search])
  return found
}

const failureOf = (error: unknown): string =>
  error instanceof ApiError && error.status === 404
    ? 'The values cannot be listed.'
    : `The values could not be listed: ${error instanceof Error ? error.message : String(error)}`
