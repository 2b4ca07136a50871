import { sql } from '../src/base/sql.ts'
import { chance, logNormal, normal } from './chance.ts'
import { numberOf, positionOf } from './lists.ts'
import { isps, market } from './market.ts'
import { places } from './places.ts'
import type { Columns } from './select.ts'
import { technologies, type Technology } from './technologies.ts'

const line = sql`line`
const offer = sql`offer`
const figure = (value: (technology: Technology) => number) => numberOf(technologies, value, sql`technology`)

/** The line an agent is on with the package `offer`. Speeds in bytes a second, times in microseconds. */
export const lineTraits: Columns = {
  isp: positionOf(market, isps, ({ isp }, name) => isp === name, offer),
  technology: positionOf(market, technologies, ({ technology }, { name }) => technology === name, offer),
  advertised_down: numberOf(market, ({ downMbps }) => (downMbps ?? 0) * 125_000, offer),
  advertised_up: numberOf(market, ({ upMbps }) => (upMbps ?? 0) * 125_000, offer),
  // Long or bad copper, a far mast: the same line is always the same part of what was sold.
  line_quality: sql`${figure(({ attained }) => attained)} + ${figure(({ spread }) => spread)} * ${normal('quality', line)}`,
  attained: sql`greatest(0.12, least(1.1, line_quality))`,
  noise: figure(({ noise }) => noise),
  evening_dip: sql`least(0.75, ${figure(({ eveningDip }) => eveningDip)} * ${logNormal(sql`0.5`, 'neighbours', line)})`,
  distance: numberOf(places, ({ distanceMs }) => distanceMs, sql`place`),
  line_rtt: sql`1000 * (${figure(({ rttMs }) => rttMs)} * ${logNormal(sql`0.22`, 'rtt', line)} + distance)`,
  line_jitter: sql`1000 * ${figure(({ jitterMs }) => jitterMs)} * ${logNormal(sql`0.3`, 'jitter', line)}`,
  line_loss: sql`${figure(({ loss }) => loss)} * ${logNormal(sql`0.8`, 'loss', line)}`,
  has_ipv6: sql`${chance('ipv6', line)} < ${figure(({ ipv6 }) => ipv6)}`,
}
