import { useSyncExternalStore } from 'react'

/** What was asked for in this tab; the service keeps no list. */
export type Asked = { readonly id: string; readonly what: string; readonly format: string; readonly at: string }

const key = 'broadgauge.downloads'
const changed = 'broadgauge:downloads'

function subscribe(notify: () => void): () => void {
  addEventListener(changed, notify)
  return () => removeEventListener(changed, notify)
}

const readText = (): string => sessionStorage.getItem(key) ?? '[]'

function parse(text: string): readonly Asked[] {
  const asked: readonly Asked[] = JSON.parse(text)
  return asked
}

function keep(asked: readonly Asked[]): void {
  sessionStorage.setItem(key, JSON.stringify(asked))
  dispatchEvent(new Event(changed))
}

export const useHistory = (): readonly Asked[] => parse(useSyncExternalStore(subscribe, readText))

export const remember = (asked: Asked): void => keep([asked, ...parse(readText())])
export const forget = (id: string): void => keep(parse(readText()).filter((one) => one.id !== id))
