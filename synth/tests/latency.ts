import { sql } from '../../src/base/sql.ts'
import latency from '../../src/catalog/tests/latency.ts'
import { is } from '../agents.ts'
import { chanceBelow } from '../chance.ts'
import { defineSynthesis } from '../define-synthesis.ts'
import { packetOutcome, roundTripColumns, roundTripSteps } from './round-trips.ts'
import { addressOf, server, testServer } from './servers.ts'

export default defineSynthesis({
  test: latency,
  steps: {
    server,
    ...roundTripSteps(sql`multiIf(oddity = 1, 12, ${is('web')}, 60, toUInt16(400 + ${chanceBelow(sql`200`, 'sent')}))`),
  },
  always: { target: testServer, address: addressOf(sql`server`, sql`false`), ...packetOutcome },
  measured: roundTripColumns,
})
