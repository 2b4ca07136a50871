import { sql, type Sql } from '../../src/base/sql.ts'
import type { TestDefinition } from '../../src/catalog/define-test.ts'
import { chance } from '../chance.ts'
import { defineSynthesis, type Synthesis } from '../define-synthesis.ts'
import { phoneColumns } from './phone-columns.ts'
import { radioSteps } from './radios.ts'
import { addressOf, server, testServer } from './servers.ts'

/** Mobile download and upload differ in the direction only. */
export const mobileTransfer = (test: TestDefinition, speed: Sql): Synthesis =>
  defineSynthesis({
    test,
    steps: {
      server,
      ...radioSteps,
      // The same impossibilities as on fixed lines.
      stored_speed: sql`multiIf(oddity = 1, -${speed}, oddity = 2, 1.3e9 + ${speed}, ${speed})`,
      duration: sql`6000000 + 50000 * ${chance('duration')}`,
      warmup: sql`1500000 + 1500000 * ${chance('warmup')}`,
    },
    always: {
      target: testServer,
      address: addressOf(sql`server`, sql`has_ipv6`),
      threads: sql`4`,
      successes: sql`NOT is_failed`,
      failures: sql`is_failed`,
      ...phoneColumns,
    },
    measured: {
      transfer_time: sql`duration`,
      transfer_bytes: sql`stored_speed * duration / 1000000`,
      bytes_sec: sql`stored_speed`,
      warmup_time: sql`multiIf(oddity = 3, 0, oddity = 4, NULL, warmup)`,
      warmup_bytes: sql`0.5 * ${speed} * warmup / 1000000`,
    },
  })
