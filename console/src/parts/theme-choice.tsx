import { useSyncExternalStore } from 'react'

/** `auto` follows the system. The choice is stored for the next visit, because it reveals nothing about the user's data. */
const choices = ['auto', 'light', 'dark'] as const
type Theme = (typeof choices)[number]

const key = 'broadgauge.theme'
const changed = 'broadgauge:theme'
const darkSystem = matchMedia('(prefers-color-scheme: dark)')

const readTheme = (): Theme => choices.find((one) => one === localStorage.getItem(key)) ?? 'auto'

function applyTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme
}
applyTheme(readTheme())

function subscribe(notify: () => void): () => void {
  addEventListener(changed, notify)
  darkSystem.addEventListener('change', notify)
  return () => {
    removeEventListener(changed, notify)
    darkSystem.removeEventListener('change', notify)
  }
}

/** Returns true if the page is dark now. A canvas must be drawn again when this changes. */
export const useIsDark = (): boolean =>
  useSyncExternalStore(subscribe, () => {
    const theme = readTheme()
    return theme === 'auto' ? darkSystem.matches : theme === 'dark'
  })

export function ThemeChoice() {
  const theme = useSyncExternalStore(subscribe, readTheme)
  const choose = (chosen: string) => {
    localStorage.setItem(key, chosen)
    applyTheme(readTheme())
    dispatchEvent(new Event(changed))
  }
  return (
    <label className="theme">
      <span className="unseen">Theme</span>
      <select value={theme} onChange={(event) => choose(event.target.value)}>
        <option value="auto">System theme</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  )
}
