import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { lockNumbers } from '../../src/engine/postgres/advisory-locks.ts'

const numbersIn = (pattern: string, form: RegExp): string[] =>
  globSync(pattern).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(form)].map(([, number = '']) => number.replaceAll('_', '')),
  )

// Two tasks with the same lock number would block each other without any visible reason.
it('has each advisory lock number once, in one table that includes the locks of migrations', () => {
  const known = Object.values(lockNumbers).map(String)
  expect(new Set(known).size).toBe(known.length)
  expect(numbersIn('src/**/*.ts', /\b(7_?041_?931_?\d{3})\b/g).toSorted()).toEqual(known.toSorted())
  const ofMigrations = new Set(numbersIn('migrations/postgres/**/*.sql', /pg_advisory\w*lock\w*\((\d{10})\)/g))
  const { claimExport, invalidateRollups } = lockNumbers
  expect(ofMigrations).toEqual(new Set([claimExport, invalidateRollups].map(String)))
})
