import type { Scope } from './caller.ts'

export type Present = {
  readonly of: (scope: Scope) => number
  /** Counts one more, or so many, until `leave` of as many. */
  readonly enter: (scope: Scope, count?: number) => void
  readonly leave: (scope: Scope, count?: number) => void
}

/** How many of something each organisation has at once. */
export function countPresent(): Present {
  const present = new Map<number, number>()
  const of = ({ organisationId }: Scope) => present.get(organisationId) ?? 0
  return {
    of,
    enter: (scope, count = 1) => void present.set(scope.organisationId, of(scope) + count),
    leave: (scope, count = 1) => {
      const left = of(scope) - count
      if (left === 0) present.delete(scope.organisationId)
      else present.set(scope.organisationId, left)
    },
  }
}
