/**
 * Simulates comparisons of two periods: `npm run bench -- comparison-coverage`. Counts how often the 95 % interval contains the
 * true difference, how often the verdict finds a difference of 4 %, and how often a response of many points without any
 * difference has a verdict that claims one. The verdicts are those of src/envelope. The seed is fixed, so every run has the same
 * result. The simulation needs no store.
 */
import { report } from '../rig/report.ts'
import { seededRandom } from '../interval-coverage/random.ts'
import { asIndependent, compared, numbersOf, twoPeriods, type Results, type Sharing } from './two-sides.ts'

const panels = 10_000
const change = 4
/** Of these numbers of panels, the standard error of a percentage of 95 is 0.22 points, and of a percentage of 5 too. */
const coverageMin = 94
const familyMax = 5.5

type Cell = { agents: number; shared: Sharing; results: Results; perAgent: boolean }

const cells: Cell[] = [
  { agents: 20, shared: 'none', results: 'equal', perAgent: false },
  { agents: 50, shared: 'half', results: 'equal', perAgent: false },
  { agents: 20, shared: 'all', results: 'equal', perAgent: false },
  { agents: 50, shared: 'all', results: 'equal', perAgent: false },
  { agents: 50, shared: 'all', results: 'log-normal', perAgent: false },
  { agents: 50, shared: 'all', results: 'log-normal', perAgent: true },
]

const percentOf = (hits: readonly boolean[]): number => (100 * hits.filter(Boolean).length) / hits.length

const rows = cells.map((cell, index) => {
  const random = seededRandom(4400 + index)
  const simulated = Array.from({ length: panels }, () => {
    const numbers = numbersOf(twoPeriods(random, cell.agents, cell.shared, cell.results, change), cell.perAgent)
    const [found] = compared([numbers])
    const [independent] = compared([asIndependent(numbers)])
    return {
      covered: (found?.low ?? NaN) <= change && change <= (found?.high ?? NaN),
      found: found?.verdict === 'higher',
      foundIndependent: independent?.verdict === 'higher',
    }
  })
  return {
    ...cell,
    coverage: percentOf(simulated.map(({ covered }) => covered)),
    power: percentOf(simulated.map(({ found }) => found)),
    powerIfIndependent: percentOf(simulated.map(({ foundIndependent }) => foundIndependent)),
  }
})

const pointsOfResponse = 100
const responses = 10_000
const families = (['none', 'all'] as const).map((shared, index) => {
  const random = seededRandom(4500 + index)
  const claims = Array.from({ length: responses }, () => {
    const points = Array.from({ length: pointsOfResponse }, () =>
      numbersOf(twoPeriods(random, 20, shared, 'equal', 0), false),
    )
    return compared(points).some((one) => one?.verdict === 'higher' || one?.verdict === 'lower')
  })
  return { agents: 20, shared, points: pointsOfResponse, responses, withFalseVerdict: percentOf(claims) }
})

report('comparison-coverage', rows)
report('comparison-coverage-families', families)

const failures = [
  ...rows.filter(({ coverage }) => coverage < coverageMin).map((row) => `coverage ${JSON.stringify(row)}`),
  ...families.filter((row) => row.withFalseVerdict > familyMax).map((row) => `false verdicts ${JSON.stringify(row)}`),
]
if (failures.length > 0) {
  console.error(failures.join('\n'))
  process.exitCode = 1
}
