import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
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
