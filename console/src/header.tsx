import { hrefOf, pages, type Page } from './place.ts'
import { ThemeChoice } from './parts/theme-choice.tsx'

const titles: Record<Page, string> = {
  explore: 'Explore',
  'test-data': 'Test data',
  downloads: 'Downloads',
  agents: 'Agents',
}

export function Header({ page, onSignOut }: { page: Page; onSignOut: () => void }) {
  return (
    <header className="top">
      <a className="skip" href="#content" onClick={skipToContent}>
        Skip to the content
      </a>
      <span className="brand">
        <img src="./icon.svg" alt="" width="22" height="22" /> Broadgauge
      </span>
      <nav aria-label="Pages">
        {pages.map((one) => (
          <a key={one} href={hrefOf(one)} aria-current={one === page ? 'page' : undefined}>
            {titles[one]}
          </a>
        ))}
      </nav>
      <ThemeChoice />
      <button type="button" onClick={onSignOut}>
        Sign out
      </button>
    </header>
  )
}

/** The hash names the page we are on, so a plain link inside it would lead away. */
function skipToContent(event: { preventDefault: () => void }): void {
  event.preventDefault()
  const target = document.querySelector<HTMLElement>('main :is(select, input, button, a)')
  target?.focus()
}
