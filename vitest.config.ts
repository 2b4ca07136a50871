import { configDefaults, defineConfig } from 'vitest/config'
import { LongestFirst } from './test/faults/longest-first.ts'
import { alone, slow, unit } from './test/kit/projects.ts'

/** Comparisons over HTTP that are of use only with thousands of queries: too many for every run. */
const long = ['test/features/reference/calendar.test.ts', 'test/features/reference/metamorphic.test.ts']
/** Attacks beyond the tests, by `npm run faults`: minutes each. */
const isAttack = process.env['BROADGAUGE_FAULTS'] === '1'
const isDeep = process.env['BROADGAUGE_TEST_DEEP'] === '1'

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        // Pure functions leave nothing behind, so test files share a process and what it has loaded.
        test: { name: 'unit', include: unit, exclude: [...configDefaults.exclude, ...slow], isolate: false },
      },
      { extends: true, test: { name: 'slow', include: slow } },
      {
        extends: true,
        test: {
          name: 'stores',
          // Files share a process and its modules: to load them again takes about two processor seconds for each file. Each file
          // opens databases of its own, and no test depends on mutable state of a module.
          isolate: false,
          include: ['test/**/*.test.ts', ...(isAttack ? ['test/faults/**/*.attack.ts'] : [])],
          exclude: [...configDefaults.exclude, ...unit, ...slow, ...alone, ...(isDeep ? [] : long)],
          globalSetup: ['test/kit/global-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: alone.filter((name) => isAttack || !name.endsWith('.attack.ts')),
          globalSetup: ['test/kit/global-setup.ts'],
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
    // Real stores on two cores: a first query after a start may take seconds.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // What is polled for is to come, not to come within a second.
    expect: { poll: { timeout: 20_000 } },
    // One more than the processors that tests are meant for: tests with stores and attacks also wait, for stores to start and for
    // time to run out.
    maxWorkers: 3,
    ...(isAttack ? { sequence: { sequencer: LongestFirst } } : {}),
    // `npm run test:unit -- --coverage`: how much of the pure folders the unit project alone runs through.
    coverage: {
      include: ['src/{base,check,compile,envelope}/**'],
      reporter: ['text'],
      thresholds: {
        'src/base/**': { lines: 90 },
        'src/check/**': { lines: 95 },
        'src/compile/**': { lines: 90 },
        'src/envelope/**': { lines: 95 },
      },
    },
    reporters: process.env['CI']
      ? ['default', ['json', { outputFile: process.env['BROADGAUGE_TEST_REPORT'] ?? 'test-report.json' }]]
      : ['default'],
  },
})
