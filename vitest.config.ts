import { configDefaults, defineConfig } from 'vitest/config'

/** Comparisons over HTTP that are of use only with thousands of queries: too many for every run. */
const long = ['test/reference/calendar.test.ts', 'test/reference/metamorphic.test.ts']
/** Attacks beyond the tests, by `npm run faults`: minutes each. */
const attacks = process.env['BROADGAUGE_FAULTS'] === '1' ? ['test/faults/**/*.attack.ts'] : []
const isDeep = process.env['BROADGAUGE_TEST_DEEP'] === '1'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', ...attacks],
    exclude: [...configDefaults.exclude, ...(isDeep ? [] : long)],
    globalSetup: ['test/kit/global-setup.ts'],
    // Real stores on two cores: a first query after a start may take seconds.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    reporters: process.env['CI']
      ? ['default', ['json', { outputFile: process.env['BROADGAUGE_TEST_REPORT'] ?? 'test-report.json' }]]
      : ['default'],
  },
})
