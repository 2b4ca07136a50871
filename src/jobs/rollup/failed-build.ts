import { Fault } from '../../base/fault.ts'
import { SpokenError } from '../../base/spoken-error.ts'
import type { BegunBuild } from '../../engine/postgres/rollup/rollup-builds.ts'

/** Sums that the engine could not make: whose, and of which days. */
export class FailedBuild extends SpokenError {
  readonly build: BegunBuild

  constructor(build: BegunBuild, error: unknown) {
    const { test, panel, first, last } = build
    const days = [first, last].map(dateOf).join(' to ')
    super(`The sums of ${test} of panel ${panel}, ${days}, could not be built: ${reasonOf(error)}`, error)
    this.build = build
  }
}

const dateOf = (day: number): string =>
  Temporal.Instant.fromEpochMilliseconds(day * 86_400_000)
    .toString()
    .slice(0, 10)

/** What a fault says to callers would have them ask for less. */
function reasonOf(error: unknown): string {
  if (error instanceof Fault) return error.detail ?? error.message
  return error instanceof Error ? error.message : String(error)
}
