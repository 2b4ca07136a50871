import { hash } from 'node:crypto'

/** Every mutant has a place that follows from the seed and its number; the first ones are drawn. */
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
