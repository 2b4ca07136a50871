import { personOf, type Session } from './api/session.ts'
import { hrefOf, pages, type Page } from './place.ts'
import { ThemeChoice } from './parts/theme-choice.tsx'

const titles: Record<Page, string> = {
  explore: 'Explore',
  'test-data': 'Test data',
  downloads: 'Downloads',
  agents: 'Agents',
  tokens: 'Tokens',
  account: 'Account',
}

/** Returns false for pages that the signed-in person cannot use. */
function isOffered(page: Page, session: Session): boolean {
  const person = personOf(session)
  if (page === 'tokens') return person?.role === 'administrator'
  return page !== 'account' || person !== null
}

export function Header({ session, page, onSignOut }: { session: Session; page: Page; onSignOut: () => void }) {
  const person = personOf(session)
  return (
    <header className="top">
      <a className="skip" href="#content" onClick={skipToContent}>
        Skip to the content
      </a>
      <span className="brand">
        <img src="./icon.svg" alt="" width="22" height="22" /> Broadgauge
      </span>
      <nav aria-label="Pages">
        {pages
          .filter((one) => isOffered(one, session))
          .map((one) => (
            <a key={one} href={hrefOf(one)} aria-current={one === page ? 'page' : undefined}>
              {titles[one]}
            </a>
          ))}
      </nav>
      {person !== null && (
        <span className="who">
          {person.name} <span className="hint">{person.organisation.name}</span>
        </span>
      )}
      <ThemeChoice />
      <button type="button" onClick={onSignOut}>
        Sign out
      </button>
    </header>
  )
}

/**
 * Moves the focus with a script. A normal fragment link would leave the current page, because the fragment contains the name
 * of the page.
 */
function skipToContent(event: { preventDefault: () => void }): void {
  event.preventDefault()
  const target = document.querySelector<HTMLElement>('main :is(select, input, button, a)')
  target?.focus()
}
