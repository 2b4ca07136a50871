import { configDefaults, defineConfig } from 'vitest/config'
import { slow } from '../../test/kit/projects.ts'

/** The unit tests of the pure folders; those of test/house would judge the mutated sources instead of running them. */
export default defineConfig({
  test: {
    include: ['test/{base,catalog,check,compile,envelope}/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...slow],
    testTimeout: 60_000,
  },
})
