import type { Scope } from './caller.ts'

export type Present = {
  readonly of: (scope: Scope) => number
  /** Counts one more until `leave`, which is called once. */
  readonly enter: (scope: Scope) => void
  readonly leave: (scope: Scope) => void
}

/** How many of something each organisation has at once. */
export function countPresent(): Present {
  const present = new Map<number, number>()
  const of = ({ organisationId }: Scope) => present.get(organisationId) ?? 0
  return {
    of,
    enter: (scope) => void present.set(scope.organisationId, of(scope) + 1),
    leave: (scope) => {
      const left = of(scope) - 1
      if (left === 0) present.delete(scope.organisationId)
      else present.set(scope.organisationId, left)
    },
  }
}
