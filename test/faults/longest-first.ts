import { basename } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The attacks that take longest, deep or in the gate. One of them begun last would run on alone when all others have ended. */
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

/** Those first, and the rest as vitest would have it. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- vitest's own, which makes another list
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other))
  }
}
