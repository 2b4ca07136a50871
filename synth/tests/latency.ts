import { sql } from '../../src/base/sql.ts'
import latency from '../../src/catalog/tests/latency.ts'
import { is } from '../agents.ts'
import { chance } from '../chance.ts'
import { defineSynthesis } from '../define-synthesis.ts'
import { packetOutcome, roundTripColumns, roundTripSteps } from './round-trips.ts'
import { addressOf, testServer, toServer } from './servers.ts'

export default defineSynthesis({
  test: latency,
  // A line that works loses some packets, but hardly ever all of them.
  failures: { rate: 0.00005 },
  steps: {
    ...toServer,
    // The test sends no packets while the household uses the line.
    ...roundTripSteps(
      sql`multiIf(oddity = 1, 12, ${is('web')}, 60, toUInt16(600 - 240 * (0.2 + 0.8 * load) * pow(${chance('sent')}, 2)))`,
      sql`server_rtt`,
    ),
  },
  always: { target: testServer, address: addressOf(sql`server`, sql`false`), ...packetOutcome },
  measured: roundTripColumns,
})
