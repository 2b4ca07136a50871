/**
 * Simulates panels and counts how often their 95 % intervals contain the true value: `npm run bench -- interval-coverage`. The
 * intervals are those of the reference implementation in test/features/reference. The seed is fixed, so every run has
 * the same result. The simulation needs no store. `npx node .ci/coverage-picture.ts` draws the result and prints it as
 * tables for docs/concepts.md.
 */
import { report } from '../rig/report.ts'
import { meanCoverage, shareCoverage } from './count-coverage.ts'
import { agentMeans, resultsPerAgent, type Pattern, type Spread } from './panels.ts'

/**
 * Number of simulated panels. Fewer panels with many agents are simulated, because they take longer. The standard error of the
 * coverage is 0.22 percentage points, and 0.49 for panels with many agents.
 */
const panelsOf = (agents: number): number => (agents > 100 ? 2000 : 10_000)
const counts = [5, 10, 20, 50, 100, 400]
const shareCounts = [10, 20, 50, 100, 400, 1000]
const shares = [0.001, 0.005, 0.01]
const sharePatterns: Pattern[] = ['equal', 'log-normal']
/** The minimum coverage, in percent, of the mean if the means of agents are normally distributed. */
const floor = 93.5

type Row = { statistic: string; results: string; interval: string } & Record<number, number | null>

let seed = 3200

/** The rows of a simulation. There is one row per measure, with one column per number of agents. */
function rowsOf(
  statistic: string,
  results: string,
  columns: readonly number[],
  simulate: (agents: number, seed: number) => Readonly<Record<string, number | null>>,
): Row[] {
  const cells = columns.map((agents) => ({ agents, found: simulate(agents, (seed += 1)) }))
  return Object.keys(cells[0]?.found ?? {}).map((interval) => ({
    statistic,
    results,
    interval,
    ...Object.fromEntries(cells.map(({ agents, found }) => [agents, found[interval] ?? null])),
  }))
}

const means = Object.keys(agentMeans).flatMap((spread) =>
  Object.keys(resultsPerAgent).flatMap((pattern) =>
    rowsOf(spread, pattern, counts, (agents, cell) =>
      meanCoverage(spread as Spread, pattern as Pattern, agents, panelsOf(agents), cell),
    ),
  ),
)

const rare = shares.flatMap((share) =>
  sharePatterns.flatMap((pattern) =>
    rowsOf(`${share * 100} %`, pattern, shareCounts, (agents, cell) =>
      shareCoverage(share, pattern, agents, panelsOf(agents), cell),
    ),
  ),
)

report('interval-coverage', [...means, ...rare])

const tooLow = means
  .filter(({ statistic, interval }) => statistic === 'normal' && interval === 'byAgents')
  .flatMap((row) => counts.filter((agents) => Number(row[agents]) < floor).map((agents) => `${row.results} ${agents}`))
if (tooLow.length > 0) {
  console.error(`coverage below ${floor} %: ${tooLow.join(', ')}`)
  process.exitCode = 1
}
