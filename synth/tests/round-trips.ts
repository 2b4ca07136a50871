import { sql, type Sql } from '../../src/base/sql.ts'
import { chance, logNormal } from '../chance.ts'
import type { Columns } from '../select.ts'

/**
 * Packets sent and lost and the times of the others, from the line's round trip and its jitter. Queues grow where many
 * share a line and the hour is busy; an oddity is a time or a loss that cannot be.
 */
export const roundTripSteps = (sent: Sql, rtt: Sql = sql`line_rtt`, jitter: Sql = sql`line_jitter`): Columns => ({
  sent,
  loss: sql`line_loss * (1 + 4 * busy * evening_dip) * ${logNormal(sql`1.1`, 'loss')}`,
  lost: sql`if(oddity = 4, ceil(sent / 4), least(sent - 1, floor(sent * loss + ${chance('one lost')} * 0.98)))`,
  queue: sql`(${jitter}) * (1 + 8 * busy * evening_dip) * ${logNormal(sql`0.45`, 'queue')}`,
  shortest: sql`if(oddity = 2, 0, (${rtt}) * (1 + 0.02 * ${chance('shortest')}))`,
  longest: sql`shortest + queue * (2.5 + 2 * ${logNormal(sql`0.6`, 'longest')}) + if(oddity = 3, 450000, 0)`,
  mean: sql`shortest + queue`,
})

export const roundTripColumns: Columns = {
  rtt_avg: sql`if(oddity = 2, 0, mean)`,
  rtt_min: sql`shortest`,
  rtt_max: sql`longest`,
  rtt_std: sql`queue * (0.7 + 0.5 * ${chance('deviation')})`,
}

/** An attempt is a packet; in a failed test all of them are lost. */
export const packetOutcome: Columns = {
  successes: sql`if(is_failed, 0, sent - lost)`,
  failures: sql`if(is_failed, sent, lost)`,
}
