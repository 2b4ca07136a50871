import { sql, type Sql } from '../../src/base/sql.ts'
import { chance, logNormal } from '../chance.ts'
import type { Columns } from '../select.ts'

/** Round-trip time, in microseconds, to a device in the home that answered in place of the server. */
const nearby = sql`150 + 300 * ${chance('nearby')}`

/** Factors that the tests of a line share: for its queues on a day, and for lost packets in an hour. */
export const queueOfDay = logNormal(sql`0.4`, 'queue of the day', sql`line + day`)
export const lossOfHour = logNormal(sql`1`, 'loss', sql`line + hour_number`)

type RoundTrip = { sent: Sql; rtt: Sql; jitter?: Sql; loss?: Sql; buffered?: Sql }

/**
 * Packets sent and lost, and round-trip times, from the shortest round trip and the jitter. Queues grow on shared lines in busy
 * hours; `buffered` is the time that packets wait in the queue of the household's own traffic. In an implausible result
 * (`oddity`), another device answers, the line is in use, or a quarter of the packets is lost.
 *
 * Minimum, maximum, mean and deviation of n packets must be possible together. With the range r = maximum - minimum, the mean
 * is between minimum + r/n and maximum - r/n. The variance is smallest if all packets except the shortest and the longest are
 * equal, and largest if packets have only two different times.
 */
export const roundTripSteps = ({
  sent,
  rtt,
  jitter = sql`line_jitter`,
  loss = sql`line_loss`,
  buffered = sql`0`,
}: RoundTrip): Columns => ({
  sent,
  loss: sql`(${loss}) * (1 + 4 * busy * evening_dip) * ${lossOfHour} * ${logNormal(sql`0.4`, 'loss')}`,
  lost: sql`if(oddity = 4, ceil(sent / 4), least(sent - 1, floor(sent * loss + ${chance('one lost')} * 0.98)))`,
  received: sql`sent - lost`,
  queue: sql`(${jitter}) * if(oddity = 2, 0.05, (1 + busy * (0.35 + 6 * evening_dip)) * ${queueOfDay}
    * ${logNormal(sql`0.35`, 'queue')}) + (${buffered})`,
  shortest: sql`if(oddity = 2, ${nearby}, (${rtt}) + floor_time)`,
  // With more packets, the longest round trip is longer.
  range: sql`if(received < 3, 0, queue * greatest(1.6, (1 + 0.3 * sqrt(sent)) * ${logNormal(sql`0.6`, 'longest')}) + if(oddity = 3, 60000 * exp(4 * ${chance('in use')}), 0))`,
  above: sql`if(range = 0, 0, least(1 - 1.1 / received, greatest(queue / range, 1.1 / received)))`,
  least_variance: sql`if(range = 0, 0, (pow(above, 2) + pow(1 - above, 2) + pow(2 * above - 1, 2) / (received - 2)) / received)`,
  variance: sql`least_variance + (above * (1 - above) - least_variance) * 0.4 * ${chance('deviation')}`,
})

export const roundTripColumns: Columns = {
  rtt_avg: sql`shortest + above * range`,
  rtt_min: sql`shortest`,
  rtt_max: sql`shortest + range`,
  rtt_std: sql`range * sqrt(variance)`,
}

/** The counts of packets. In a failed test, all packets are lost. */
export const packetOutcome: Columns = {
  successes: sql`if(is_failed, 0, sent - lost)`,
  failures: sql`if(is_failed, sent, lost)`,
}
