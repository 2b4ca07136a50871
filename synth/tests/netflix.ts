import { sql } from '../../src/base/sql.ts'
import netflix from '../../src/catalog/tests/netflix.ts'
import { chance } from '../chance.ts'
import { defineSynthesis } from '../define-synthesis.ts'
import { addressOf, hostOfIsp } from './servers.ts'
import { ladders, streamingSteps } from './streaming.ts'
import { throughput } from './transfer.ts'

export default defineSynthesis({
  test: netflix,
  steps: streamingSteps(ladders.netflix, throughput(sql`advertised_down`), sql`line_rtt`),
  always: {
    target: hostOfIsp(sql`concat('videocache', toString(1 + line % 4))`),
    address: addressOf(sql`20 + isp`, sql`has_ipv6`),
    error: sql`nullIf(trouble, '')`,
    error_msg: sql`transform(trouble, ['connect_failed', 'decode', 'stall'],
      ['no connection to the server', 'segment could not be read', 'the buffer ran empty'], NULL)`,
    successes: sql`NOT is_failed`,
    failures: sql`is_failed`,
  },
  measured: {
    bitrate: sql`quality`,
    max_bitrate: sql`usable * 0.95`,
    stall_events: sql`stalls`,
    stall_duration_total: sql`stalls * stall`,
    connect_time: sql`connect`,
    download_duration: sql`30000000 + 200000 * ${chance('duration')}`,
    prebuffering_duration: sql`buffering`,
    bytes_sec: sql`usable`,
  },
})
