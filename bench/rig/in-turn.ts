import { workBetween, type EngineWork } from './engine-work.ts'
import { median } from './median.ts'

/** The elapsed time, the CPU time of ClickHouse, and the number of bytes that ClickHouse has read. */
export type Taken = { readonly milliseconds: number; readonly processors: number; readonly bytes: number }

type Bench = { readonly work: () => Promise<EngineWork[]> }
type Work = () => Promise<unknown>

/**
 * Runs each function once without measuring it, then runs them alternately, so that other load on the machine affects all of
 * them.
 */
export async function inTurn(bench: Bench, rounds: number, works: readonly Work[]): Promise<Taken[][]> {
  for (const work of works) await work()
  const taken: Taken[][] = works.map(() => [])
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, work] of works.entries()) taken[index]?.push(await measure(bench, work))
  }
  return taken
}

async function measure(bench: Bench, work: Work): Promise<Taken> {
  const before = await bench.work()
  const startedAt = performance.now()
  await work()
  const milliseconds = performance.now() - startedAt
  const nodes = workBetween(before, await bench.work())
  const sum = (by: keyof EngineWork): number => nodes.reduce((total, node) => total + node[by], 0)
  return { milliseconds, processors: sum('processorSeconds'), bytes: sum('bytes') }
}

export const medianOf = (taken: readonly Taken[] = [], by: keyof Taken): number => median(taken.map((one) => one[by]))

/** The median of the ratios of all rounds. */
export const ratioOf = (ours: readonly Taken[] = [], bare: readonly Taken[] = [], by: keyof Taken): number =>
  median(ours.map((one, index) => one[by] / (bare[index]?.[by] ?? Number.NaN)))

/** The ratio of the fastest rounds of both functions. In the fastest round there was least other load. */
export const leastRatioOf = (ours: readonly Taken[] = [], bare: readonly Taken[] = [], by: keyof Taken): number =>
  Math.min(...ours.map((one) => one[by])) / Math.min(...bare.map((one) => one[by]))
