import type { Scope } from './caller.ts'

export type Present = {
  readonly of: (scope: Scope) => number
  /** Adds `count` (1 by default) to the organisation's number; `leave` subtracts it. */
  readonly enter: (scope: Scope, count?: number) => void
  readonly leave: (scope: Scope, count?: number) => void
}

/** Counts, per organisation, how many of its requests or bytes are in use at this moment. */
export function countByOrganisation(): Present {
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
