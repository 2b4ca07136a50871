import { sql, type Sql } from '../../src/base/sql.ts'
import type { TestDefinition } from '../../src/catalog/define-test.ts'
import { logNormal } from '../chance.ts'
import { defineSynthesis, type Synthesis } from '../define-synthesis.ts'
import { phoneColumns } from './phone-columns.ts'
import { radioFailures, radioSteps } from './radios.ts'
import { addressOf, testServer, toServer } from './servers.ts'
import { cutOff } from './transfer.ts'

/** Mobile download and upload differ only in `speed`. */
export const mobileTransfer = (test: TestDefinition, afterSeconds: number, speed: Sql): Synthesis =>
  defineSynthesis({
    test,
    afterSeconds,
    failures: radioFailures(0.0006),
    steps: {
      ...toServer,
      ...radioSteps,
      duration: sql`6000000 + 3000 * ${logNormal(sql`1.5`, 'duration')}`,
      ...cutOff(speed),
      warmup: sql`(500000 + (radio_rtt + server_rtt) * 30) * ${logNormal(sql`0.35`, 'warmup')}`,
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
      transfer_time: sql`stored_time`,
      transfer_bytes: sql`stored_bytes`,
      bytes_sec: sql`stored_speed`,
      warmup_time: sql`multiIf(oddity = 3, 0, oddity = 4, NULL, warmup)`,
      warmup_bytes: sql`least(0.97, 0.55 * ${logNormal(sql`0.35`, 'ramp')}) * ${speed} * warmup / 1000000`,
    },
  })
