import { useMemo, useSyncExternalStore } from 'react'

export const pages = ['explore', 'test-data', 'downloads', 'agents', 'tokens', 'account'] as const
export type Page = (typeof pages)[number]

/** A page of the console and its state. Both are in the fragment after the `#`, which no server sees. */
export type Place = { readonly page: Page; readonly state: URLSearchParams }

const isPage = (text: string): text is Page => (pages as readonly string[]).includes(text)

export function placeOf(hash: string): Place {
  const [, name = '', query = ''] = /^#?\/?([^?]*)\??(.*)$/.exec(hash) ?? []
  return { page: isPage(name) ? name : 'explore', state: new URLSearchParams(query) }
}

export const hrefOf = (page: Page, state = new URLSearchParams()): string =>
  `#/${page}${state.size === 0 ? '' : `?${state}`}`

const changed = 'broadgauge:place'

function subscribe(notify: () => void): () => void {
  for (const event of ['hashchange', changed]) addEventListener(event, notify)
  return () => {
    for (const event of ['hashchange', changed]) removeEventListener(event, notify)
  }
}

export function usePlace(): Place {
  const hash = useSyncExternalStore(subscribe, () => location.hash)
  return useMemo(() => placeOf(hash), [hash])
}

/** Replaces the history entry: with a new entry for each change of a control, "back" would be useless. */
export function changeState(page: Page, state: URLSearchParams): void {
  history.replaceState(null, '', hrefOf(page, state))
  dispatchEvent(new Event(changed))
}
