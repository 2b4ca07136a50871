import { basename } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The attacks that take longest, in the deep run or in `npm run faults -- gate`. If one of them started last, it would
 * still run alone after all others have ended.
 */
const longest = [
  'metadata-linearizability',
  'kills',
  'tenants',
  'metadata-kills',
  'broken-clickhouse',
  'tenant-mutants',
  'export-kills',
  'pauses',
  'injection',
  'generated-requests',
  'broken-objects',
  'silent-engine',
  'broken-postgres',
].map((name) => `${name}.attack.ts`)

function placeOf({ moduleId }: TestSpecification): number {
  const place = longest.indexOf(basename(moduleId))
  return place === -1 ? longest.length : place
}

/** Runs the longest attacks first, and the others in vitest's order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- the method of vitest, which returns another list
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other))
  }
}
