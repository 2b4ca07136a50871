import { hash } from 'node:crypto'

/** The rank of a mutant, computed from the seed and the mutant's id. The mutants with the lowest ranks are drawn. */
const placeOf = (seed: string, id: string): string => hash('sha256', `${seed}:${id}`)

export function draw<Mutant extends { readonly id: string }>(
  mutants: readonly Mutant[],
  seed: string,
  count: number,
): Mutant[] {
  const placed = mutants.map((mutant) => ({ mutant, place: placeOf(seed, mutant.id) }))
  return placed
    .toSorted((one, other) => (one.place < other.place ? -1 : 1))
    .slice(0, count)
    .map(({ mutant }) => mutant)
}
