import { sql } from '../src/base/sql.ts'
import { chance, chanceBelow, logNormal, normal } from './chance.ts'
import { numberOf, positionOf } from './lists.ts'
import { isps, market } from './market.ts'
import { hub, hubKilometres, nearSite, ofNetwork } from './networks.ts'
import type { Columns } from './select.ts'
import { technologies, type Technology } from './technologies.ts'

const line = sql`line`
const offer = sql`offer`
const typical = (value: (technology: Technology) => number) => numberOf(technologies, value, sql`technology`)

/** The access line of an agent with the package `offer`. Speeds in bytes per second, times in microseconds. */
export const lineTraits: Columns = {
  isp: positionOf(market, isps, ({ isp }, name) => isp === name, offer),
  technology: positionOf(market, technologies, ({ technology }, { name }) => technology === name, offer),
  advertised_down: numberOf(market, ({ downMbps }) => (downMbps ?? 0) * 125_000, offer),
  advertised_up: numberOf(market, ({ upMbps }) => (upMbps ?? 0) * 125_000, offer),
  // A faulty line stays far below its package, for example because of a corroded joint or a router in the cellar.
  is_poor: sql`${chance('poor', line)} < 0.035`,
  speed_limit: typical(({ limit }) => limit),
  // The mean fraction of the advertised speed that the line attains. It is low for long copper and for a distant mast.
  line_quality: sql`${typical(({ attained }) => attained)} + ${typical(({ spread }) => spread)} * ${normal('quality', line)}`,
  attained: sql`greatest(0.12, least(speed_limit, line_quality)) * if(is_poor, 0.25 + 0.4 * ${chance('how poor', line)}, 1)`,
  // How much the speed of the line changes from day to day, from week to week (only some lines) and slowly over months.
  drift: sql`least(0.11, ${typical(({ drift }) => drift)} * ${logNormal(sql`0.3`, 'drift', line)})`,
  resync: typical(({ resync }) => resync),
  trend: sql`0.06 * ${chance('trend', line)}`,
  trend_days: sql`50 + 150 * ${chance('trend days', line)}`,
  noise: typical(({ noise }) => noise),
  evening_dip: sql`least(0.75, ${typical(({ eveningDip }) => eveningDip)} * ${logNormal(sql`0.5`, 'neighbours', line)})`,
  near: nearSite(1),
  second_near: nearSite(2),
  hub,
  hub_km: hubKilometres,
  detour: ofNetwork(({ detour }) => detour),
  // The round-trip time of the access line alone. networks.ts has the rest of the route.
  access_rtt: sql`1000 * ${typical(({ rttMs }) => rttMs)} * ${logNormal(sql`0.22`, 'rtt', line)}`,
  line_jitter: sql`1000 * ${typical(({ jitterMs }) => jitterMs)} * ${logNormal(sql`0.3`, 'jitter', line)}`,
  line_loss: sql`${typical(({ loss }) => loss)} * ${logNormal(sql`0.8`, 'loss', line)} * if(is_poor, 5, 1)`,
  // The rate of failures, divided by that of an average line.
  failures: sql`${typical(({ failures }) => failures)} * ${ofNetwork(({ failures }) => failures)} * ${logNormal(sql`0.6`, 'failures', line)} * if(is_poor, 6, 1)`,
  // A line has an outage on one day in `outage_days`.
  outage_days: sql`toUInt32(greatest(8, 160 / failures))`,
  // One result in four hundred is implausible (see `oddity`). Most of these results come from every tenth agent.
  oddities: sql`if(${chance('unreliable', line)} < 0.1, 0.016, 0.001)`,
  // Each agent tests at its own minute of the hour.
  own_minute: chanceBelow(sql`54`, 'minute', line),
  // `provider` is the hash of the ISP, `area` the hash of the ISP in the region.
  provider: sql`cityHash64(seed, isp)`,
  area: sql`cityHash64(seed, isp, place)`,
  has_ipv6: sql`${chance('ipv6', line)} < ${typical(({ ipv6 }) => ipv6)}`,
}
