import { expect, it } from 'vitest'
import { meanCoverage, shareCoverage } from '../../../bench/interval-coverage/count-coverage.ts'
import type { Pattern } from '../../../bench/interval-coverage/panels.ts'

/** A sample of `npm run bench -- interval-coverage`. The seed is fixed, so chance can't break a test. */
const panels = 600
const seed = 5

it.each<[Pattern, number]>([
  ['equal', 5],
  ['equal', 50],
  ['Poisson', 10],
  ['log-normal', 20],
  ['one tests 50×', 20],
])(
  'holds the mean of normal agents in 95 of 100 panels, and the former interval does not: %s, %i agents',
  (pattern, agents) => {
    const { byAgents, byResults } = meanCoverage('normal', pattern, agents, panels, seed)
    expect(byAgents).toBeGreaterThanOrEqual(93.5)
    expect(byResults).toBeLessThan(35)
  },
)

it('needs about a hundred agents if plans are mixed', () => {
  expect(meanCoverage('four plans', 'equal', 10, panels, seed).byAgents).toBeLessThan(85)
  expect(meanCoverage('four plans', 'equal', 100, panels, seed).byAgents).toBeGreaterThanOrEqual(92)
})

it('holds a rare share better in panels without `few_failures`', () => {
  const few = shareCoverage(0.01, 'log-normal', 20, panels, seed)
  expect(few.marked).toBe(100)
  expect(few.ofUnmarked).toBeNull()
  expect(few.ofMarked).toBeLessThan(90)
  const many = shareCoverage(0.01, 'equal', 400, panels, seed)
  expect(many.marked).toBe(0)
  expect(many.ofUnmarked).toBeGreaterThanOrEqual(91)
})
