import { sql } from '../../src/base/sql.ts'
import ping from '../../src/catalog/tests/ping.ts'
import { oneOf } from '../chance.ts'
import { defineSynthesis } from '../define-synthesis.ts'
import { packetOutcome, roundTripColumns, roundTripSteps } from './round-trips.ts'

const hosts = ['www.example.com', 'www.example.org', 'games.example.net', 'news.example.com']

export default defineSynthesis({
  test: ping,
  steps: roundTripSteps(sql`5`),
  always: { target: oneOf(hosts, 'host'), ...packetOutcome },
  measured: roundTripColumns,
})
