import { sql } from '../../src/base/sql.ts'
import netflix from '../../src/catalog/tests/netflix.ts'
import { chance, logNormal } from '../chance.ts'
import { defineSynthesis } from '../define-synthesis.ts'
import { roundTripTo } from '../networks.ts'
import { addressOf, hostOfIsp } from './servers.ts'
import { players, streamingSteps } from './streaming.ts'
import { throughput } from './transfer.ts'

export default defineSynthesis({
  test: netflix,
  failures: { rate: 0.002 },
  steps: streamingSteps(players.netflix, throughput(sql`advertised_down`), roundTripTo(sql`hub`)),
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
    bitrate: sql`encoded`,
    max_bitrate: sql`usable * (0.82 + 0.16 * ${chance('best')})`,
    stall_events: sql`stalls`,
    stall_duration_total: sql`stalls * stall`,
    connect_time: sql`connect`,
    download_duration: sql`30000000 + 40000 * ${logNormal(sql`0.8`, 'duration')}`,
    prebuffering_duration: sql`buffering`,
    bytes_sec: sql`usable`,
  },
})
