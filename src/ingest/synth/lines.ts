import { sql } from '../../base/sql.ts'
import { chance, logNormal, normal, numberAt, positionAt } from './chance.ts'
import { market } from './market.ts'
import { places } from './places.ts'
import type { Columns } from './select.ts'
import { technologies } from './technologies.ts'

const line = sql`line`
const technologyOf = (offer: (typeof market)[number]) =>
  technologies.findIndex(({ name }) => name === offer.technology) + 1

type Figure = 'attained' | 'spread' | 'eveningDip' | 'noise' | 'rttMs' | 'jitterMs' | 'loss' | 'ipv6'
const figure = (name: Figure) =>
  numberAt(
    technologies.map((technology) => technology[name]),
    sql`technology`,
  )

/** The line an agent is on, as of the day of the result: `offer` is the package in force. Times in microseconds. */
export const lineTraits: Columns = {
  offer: sql`if(toDate(starts_at) >= moved_on, second_offer, first_offer)`,
  isp: positionAt(
    market.map(({ isp }) => market.findIndex((one) => one.isp === isp)),
    sql`offer`,
  ),
  technology: positionAt(market.map(technologyOf), sql`offer`),
  advertised_down: numberAt(
    market.map(({ downMbps }) => (downMbps ?? 0) * 125_000),
    sql`offer`,
  ),
  advertised_up: numberAt(
    market.map(({ upMbps }) => (upMbps ?? 0) * 125_000),
    sql`offer`,
  ),
  // Long or bad copper, a far mast: the same line is always the same part of what was sold.
  attained: sql`greatest(0.12, least(1.1, ${figure('attained')} + ${figure('spread')} * ${normal('quality', line)}))`,
  noise: figure('noise'),
  evening_dip: sql`least(0.75, ${figure('eveningDip')} * ${logNormal(sql`0.5`, 'neighbours', line)})`,
  line_rtt: sql`1000 * (${figure('rttMs')} * ${logNormal(sql`0.22`, 'rtt', line)} + ${numberAt(
    places.map(({ distanceMs }) => distanceMs),
    sql`place`,
  )})`,
  line_jitter: sql`1000 * ${figure('jitterMs')} * ${logNormal(sql`0.3`, 'jitter', line)}`,
  line_loss: sql`${figure('loss')} * ${logNormal(sql`0.8`, 'loss', line)}`,
  has_ipv6: sql`${chance('ipv6', line)} < ${figure('ipv6')}`,
}
