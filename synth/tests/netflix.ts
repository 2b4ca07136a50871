import { sql } from '../../src/base/sql.ts'
import netflix from '../../src/catalog/tests/netflix.ts'
import { chance, logNormal } from '../chance.ts'
import { defineSynthesis } from '../define-synthesis.ts'
import { roundTripTo } from '../networks.ts'
import { addressOf, hostOfIsp } from './servers.ts'
import { players, secondsOfVideo, streamingSteps } from './streaming.ts'
import { throughput, usualSpeed } from './transfer.ts'

export default defineSynthesis({
  test: netflix,
  afterSeconds: 110,
  failures: { rate: 0.002 },
  steps: streamingSteps(players.netflix, {
    speed: throughput('down'),
    usual: usualSpeed('down'),
    rtt: roundTripTo(sql`hub`),
  }),
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
    bitrate: sql`netflix_bitrate`,
    max_bitrate: sql`usable * greatest(0.3, 1 - 0.08 * ${logNormal(sql`0.6`, 'best')})`,
    stall_events: sql`stalls`,
    stall_duration_total: sql`stalls * stall`,
    connect_time: sql`connect`,
    download_duration: sql`1000000 * ${secondsOfVideo} * (0.97 + 0.06 * ${chance('segments')}) * netflix_bitrate / usable`,
    prebuffering_duration: sql`buffering`,
    bytes_sec: sql`usable`,
  },
})
