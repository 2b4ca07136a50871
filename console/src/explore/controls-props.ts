import type { ApiError } from '../api/api-error.ts'
import type { Listings, Metric } from '../api/listings.ts'
import type { Session } from '../api/session.ts'
import type { ExploreState } from './explore-state.ts'

/** What the form and each of its controls receive. */
export type ControlsProps = {
  session: Session
  listings: Listings
  metric: Metric | null
  state: ExploreState
  error: ApiError | null
  onChange: (changes: Partial<ExploreState>) => void
}
