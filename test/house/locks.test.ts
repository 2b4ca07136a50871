import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { spoilingLock } from '../../src/engine/postgres/one-at-a-time.ts'

const numbersIn = (pattern: string, form: RegExp): Map<string, string> =>
  new Map(
    globSync(pattern).flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(form)].map(
        ([, number = '']) => [number.replaceAll('_', ''), file] as const,
      ),
    ),
  )

// Two that share a number wait for one another, and nobody knows why.
it('gives no number of a lock to the service that a migration uses, but the one they share', () => {
  const ofMigrations = numbersIn('migrations/postgres/*.sql', /pg_advisory\w*lock\w*\((\d{10})\)/g)
  const ofService = numbersIn('src/**/*.ts', /\b(7_?041_?931_?\d{3})\b/g)
  expect(ofMigrations.size).toBeGreaterThan(1)
  expect(ofService.size).toBeGreaterThan(4)
  expect([...ofService.keys()].filter((number) => ofMigrations.has(number))).toEqual([String(spoilingLock)])
})
