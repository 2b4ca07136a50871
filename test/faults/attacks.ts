import type { Zero } from './attacks/tally.ts'

type Attack = {
  readonly attack: string
  readonly files: readonly string[]
  readonly zeros: readonly Zero[]
  /**
   * `deep`: the attack takes too long for `npm run faults -- gate`, so only `npm run faults -- deep` runs it. `soak`:
   * the attack runs alone, with `npm run faults -- soak`.
   */
  readonly only?: 'deep' | 'soak'
}

/**
 * Every attack, and the forbidden events (Z1 to Z10 in docs/reliability.md) that it looks for. `npm test` does not run
 * files `*.attack.ts`.
 */
export const attacks: readonly Attack[] = [
  {
    attack: 'kill -9 of the service and of PostgreSQL under changes',
    files: ['test/faults/metadata-kills.attack.ts'],
    zeros: ['Z1', 'Z2'],
  },
  { attack: 'kill -9 of ClickHouse under ingest', files: ['test/faults/ingest-kills.attack.ts'], zeros: ['Z1', 'Z2'] },
  {
    attack: 'kill -9 of the export worker and of the storage',
    files: ['test/faults/export-kills.attack.ts'],
    zeros: ['Z2', 'Z5'],
  },
  { attack: 'kill -9 under audited queries', files: ['test/faults/audit-kills.attack.ts'], zeros: ['Z1', 'Z2'] },
  {
    attack: 'kill -9 of each under a mixed load',
    files: ['test/faults/attacks/kills.attack.ts'],
    zeros: ['Z1', 'Z2', 'Z3', 'Z5', 'Z6', 'Z7', 'Z8', 'Z9', 'Z10'],
  },
  {
    attack: 'pauses of each store',
    files: ['test/faults/attacks/pauses.attack.ts'],
    zeros: ['Z1', 'Z2', 'Z3', 'Z5', 'Z6', 'Z7', 'Z8', 'Z9', 'Z10'],
  },
  {
    attack: 'full disks',
    files: ['test/faults/attacks/full-disk.attack.ts'],
    zeros: ['Z1', 'Z2', 'Z3', 'Z5', 'Z6', 'Z7', 'Z8', 'Z9', 'Z10'],
  },
  {
    attack: 'clocks that are set',
    files: ['test/faults/attacks/clock.attack.ts'],
    zeros: ['Z1', 'Z2', 'Z3', 'Z5', 'Z6', 'Z7', 'Z8', 'Z9', 'Z10'],
  },
  { attack: 'stores that are unavailable or hang', files: ['test/faults/stores.test.ts'], zeros: ['Z7', 'Z8'] },
  { attack: 'SIGTERM under load', files: ['test/faults/drain.test.ts'], zeros: ['Z1', 'Z7'] },
  {
    attack: 'linearizability of each agent’s metadata',
    files: ['test/faults/metadata-linearizability.attack.ts', 'test/faults/metadata-linearizability-checker.test.ts'],
    zeros: ['Z1', 'Z2'],
  },
  {
    attack: 'the same request again',
    files: ['test/faults/metadata-idempotency.test.ts', 'test/faults/ingest-retries.attack.ts'],
    zeros: ['Z1', 'Z2'],
  },
  { attack: 'callers who leave', files: ['test/features/test-data/disconnects.test.ts'], zeros: ['Z9'] },
  { attack: 'callers who do not read', files: ['test/features/test-data/slow-callers.test.ts'], zeros: ['Z8', 'Z9'] },
  {
    attack: 'an engine that fails half-way',
    files: ['test/features/test-data/failures.test.ts'],
    zeros: ['Z3', 'Z10'],
  },
  { attack: 'injection strings', files: ['test/features/metric-data/injection.test.ts'], zeros: ['Z3', 'Z4'] },
  { attack: 'tenants, isolation and mutants', files: ['test/features/tenancy/'], zeros: ['Z4'] },
  {
    attack: 'injection at every string position',
    files: ['test/faults/attacks/injection.attack.ts'],
    zeros: ['Z2', 'Z3', 'Z4', 'Z6', 'Z8', 'Z10'],
  },
  {
    attack: 'tenants and canaries',
    files: ['test/faults/attacks/tenants.attack.ts'],
    zeros: ['Z3', 'Z4', 'Z6', 'Z8', 'Z10'],
  },
  {
    attack: 'mutants under the tenants',
    files: ['test/faults/attacks/tenant-mutants.attack.ts'],
    zeros: ['Z4'],
    only: 'deep',
  },
  {
    attack: 'tenants in the console',
    files: ['test/faults/attacks/console-tenants.attack.ts'],
    zeros: ['Z3', 'Z4', 'Z6', 'Z8', 'Z10'],
  },
  {
    attack: 'mutants of the console',
    files: ['test/faults/attacks/console-mutants.attack.ts'],
    zeros: ['Z4', 'Z6'],
    only: 'deep',
  },
  {
    attack: 'generated requests',
    files: ['test/faults/attacks/generated-requests.attack.ts'],
    zeros: ['Z3', 'Z6', 'Z7', 'Z8', 'Z10'],
  },
  {
    attack: 'longest accepted',
    files: ['test/faults/attacks/longest-accepted.attack.ts'],
    zeros: ['Z3', 'Z8'],
  },
  {
    attack: 'protocol garbage',
    files: ['test/faults/attacks/protocol-garbage.attack.ts'],
    zeros: ['Z3', 'Z6', 'Z7', 'Z8', 'Z10'],
  },
  {
    attack: 'broken connections to PostgreSQL',
    files: ['test/faults/attacks/broken-postgres.attack.ts'],
    zeros: ['Z1', 'Z2', 'Z3', 'Z6', 'Z8', 'Z10'],
  },
  {
    attack: 'broken connections to ClickHouse',
    files: ['test/faults/attacks/broken-clickhouse.attack.ts'],
    zeros: ['Z1', 'Z2', 'Z3', 'Z6', 'Z8', 'Z9', 'Z10'],
  },
  {
    attack: 'broken connections to object storage',
    files: ['test/faults/attacks/broken-objects.attack.ts'],
    zeros: ['Z3', 'Z5', 'Z6', 'Z8', 'Z10'],
  },
  {
    attack: 'partitions between hosts',
    files: ['test/faults/attacks/partitions.attack.ts'],
    zeros: ['Z1', 'Z2', 'Z3', 'Z5', 'Z6', 'Z7', 'Z8', 'Z9', 'Z10'],
  },
  {
    attack: 'rolling restarts behind a load balancer',
    files: ['test/faults/attacks/rolling-restart.attack.ts'],
    zeros: ['Z7'],
    only: 'deep',
  },
  { attack: 'an engine that falls silent', files: ['test/faults/attacks/silent-engine.attack.ts'], zeros: ['Z8'] },
  {
    attack: 'slow clients',
    files: ['test/faults/attacks/slow-clients.attack.ts'],
    zeros: ['Z3', 'Z6', 'Z7', 'Z8', 'Z9', 'Z10'],
  },
  {
    attack: 'soak',
    files: ['test/faults/attacks/soak.attack.ts'],
    zeros: ['Z1', 'Z2', 'Z3', 'Z5', 'Z6', 'Z7', 'Z8', 'Z9', 'Z10'],
    only: 'soak',
  },
]
