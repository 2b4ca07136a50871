import { configDefaults, defineConfig } from 'vitest/config'
import { slow } from '../../test/kit/projects.ts'

/**
 * Runs the unit tests of the pure folders. The tests in test/house are excluded: they read the source files, so a mutation
 * itself would make them fail.
 */
export default defineConfig({
  test: {
    include: ['test/{base,catalog,check,compile,envelope}/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...slow],
    // Instrumented code takes several times as long.
    testNamePattern: /^(?!.*(in milliseconds|simulated panels))/,
    testTimeout: 60_000,
  },
})
