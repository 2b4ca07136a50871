import { beforeEach, expect, it } from 'vitest'
import { keepConsideration, type Consideration } from '../../src/serve/consideration.ts'

const [flooding, light, idle] = [1, 2, 3]
let now = 0
let consideration: Consideration

beforeEach(() => {
  now = 0
  consideration = keepConsideration(() => now)
})

/** Ten seconds of both: forty heavy queries of one, fifty light ones of the other. */
function askBoth(): void {
  for (let step = 0; step < 10; step += 1) {
    now += 1_000
    for (let query = 0; query < 4; query += 1) consideration.note(flooding, 1_000_000)
    for (let query = 0; query < 5; query += 1) consideration.note(light, 8_192)
  }
}

it('nobody stands back who is alone, however much they ask', () => {
  for (let query = 0; query < 100; query += 1) consideration.note(flooding, 1_000_000)
  expect(consideration.niceness(flooding)).toBe(null)
  expect(consideration.niceness(idle)).toBe(null)
})

it('whoever had the engine do most of the work stands back, and the others do not', () => {
  askBoth()
  expect(consideration.niceness(flooding)).toBeGreaterThanOrEqual(17)
  expect(consideration.niceness(light)).toBe(0)
})

it('two who ask alike stand back for nobody', () => {
  for (const organisation of [flooding, light]) consideration.note(organisation, 500_000)
  expect(consideration.niceness(flooding)).toBe(0)
  expect(consideration.niceness(light)).toBe(0)
})

it('what was a minute ago is hardly held against anybody', () => {
  askBoth()
  now += 60_000
  consideration.note(light, 500_000)
  consideration.note(flooding, 500_000)
  expect(consideration.niceness(flooding)).toBeLessThanOrEqual(2)
})

it('those who ask no more are forgotten', () => {
  askBoth()
  now += 300_000
  expect(consideration.niceness(flooding)).toBe(null)
})
