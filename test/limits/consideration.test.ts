import { beforeEach, expect, it } from 'vitest'
import { keepConsideration, type Consideration } from '../../src/serve/consideration.ts'

const [flooding, light, idle] = [1, 2, 3]
const [heavyRows, lightRows] = [1_000_000, 8_192]
let now = 0
let consideration: Consideration

beforeEach(() => {
  now = 0
  consideration = keepConsideration(() => now)
})

/** A query that takes no time, and how far it stood back. */
function ask(organisation: number, rows: number): number | null {
  const niceness = consideration.begin(organisation)
  consideration.end(organisation, { rowsRead: rows, rows: 1, engineMs: 10, isWhole: false })
  return niceness
}

/** Ten seconds of both: forty heavy queries of one, fifty light ones of the other. */
function askBoth(): void {
  for (let step = 0; step < 10; step += 1) {
    now += 1_000
    for (let query = 0; query < 4; query += 1) ask(flooding, heavyRows)
    for (let query = 0; query < 5; query += 1) ask(light, lightRows)
  }
}

it('nobody stands back who is alone, however much they ask', () => {
  for (let query = 0; query < 100; query += 1) ask(flooding, heavyRows)
  expect(ask(flooding, heavyRows)).toBe(null)
})

it('nothing is known of whoever asks for the first time', () => {
  ask(flooding, heavyRows)
  expect(ask(idle, lightRows)).toBe(null)
})

it('whoever had the engine do most of the work stands back, and the others do not', () => {
  askBoth()
  expect(ask(flooding, heavyRows)).toBeGreaterThanOrEqual(17)
  expect(ask(light, lightRows)).toBe(0)
})

it('two who ask alike hardly stand back', () => {
  for (let query = 0; query < 20; query += 1) for (const one of [flooding, light]) ask(one, 500_000)
  for (const one of [flooding, light, flooding, light]) expect(ask(one, 500_000)).toBeLessThanOrEqual(1)
  for (const one of [light, flooding, light, flooding]) expect(consideration.begin(one)).toBeLessThanOrEqual(2)
})

it('sixteen who ask alike hardly stand back, whoever has had a little more', () => {
  for (let query = 0; query < 100; query += 1) ask(query % 16, 500_000)
  for (let more = 0; more < 3; more += 1) expect(consideration.begin(5)).toBeLessThanOrEqual(2)
})

it('whoever comes back with heavy queries stands back at once, and the one who asked on meanwhile does not', () => {
  askBoth()
  for (let second = 0; second < 60; second += 1) {
    now += 1_000
    for (let query = 0; query < 5; query += 1) ask(light, lightRows)
  }
  expect(consideration.begin(flooding)).toBeGreaterThan(5)
  for (const least of [10, 12, 14]) expect(consideration.begin(flooding)).toBeGreaterThan(least)
  expect(ask(light, lightRows)).toBe(0)
})

it('nobody stands back for those of whom nothing is known yet', () => {
  for (let query = 0; query < 50; query += 1) ask(light, lightRows)
  for (let query = 0; query < 4; query += 1) expect(consideration.begin(flooding)).toBe(null)
  for (let query = 0; query < 4; query += 1) expect(consideration.begin(light)).toBe(0)
})

it('heavy queries are held against nobody any more who has gone over to light ones', () => {
  askBoth()
  now += 60_000
  for (let query = 0; query < 30; query += 1) for (const one of [flooding, light]) ask(one, lightRows)
  expect(ask(flooding, lightRows)).toBeLessThanOrEqual(2)
})

it('what fails or is given up counts by what was expected of it and by its time, not as nothing', () => {
  askBoth()
  for (let query = 0; query < 40; query += 1) {
    now += 25_000
    consideration.begin(flooding)
    consideration.end(flooding, { rowsRead: null, rows: 0, engineMs: 0, isWhole: false })
    for (let more = 0; more < 5; more += 1) ask(light, lightRows)
  }
  expect(consideration.begin(flooding)).toBeGreaterThan(10)
  consideration.begin(idle)
  consideration.end(idle, { rowsRead: null, rows: 0, engineMs: 25_000, isWhole: false })
  for (let query = 0; query < 4; query += 1) consideration.begin(idle)
  expect(consideration.begin(light)).toBe(0)
})

it('a query whose caller left before the engine was asked does not make heavy ones look light', () => {
  askBoth()
  for (let second = 0; second < 60; second += 1) {
    now += 1_000
    for (let query = 0; query < 5; query += 1) ask(light, lightRows)
  }
  for (let query = 0; query < 20; query += 1) {
    consideration.begin(flooding)
    consideration.end(flooding, { rowsRead: 0, rows: 0, engineMs: 0, isWhole: false })
  }
  for (let query = 0; query < 3; query += 1) consideration.begin(flooding)
  expect(consideration.begin(flooding)).toBeGreaterThan(10)
})

it('whoever has gone over from a large stream to small ones stands back no more', () => {
  const stream = (rows: number, engineMs: number) => {
    consideration.begin(flooding)
    consideration.end(flooding, { rowsRead: null, rows, engineMs, isWhole: true })
  }
  stream(30_000_000, 300_000)
  now += 120_000
  for (let second = 0; second < 60; second += 1) {
    now += 1_000
    stream(100, 20)
    ask(light, lightRows)
  }
  expect(consideration.begin(flooding)).toBeLessThanOrEqual(5)
})

it('nobody stands back for those who asked a minute ago', () => {
  ask(light, lightRows)
  ask(flooding, heavyRows)
  now += 60_000
  expect(consideration.begin(flooding)).toBe(null)
})

it('those who ask no more are forgotten', () => {
  askBoth()
  now += 700_000
  expect(ask(flooding, heavyRows)).toBe(null)
  expect(ask(light, lightRows)).toBe(null)
})
