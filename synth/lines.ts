import { sql } from '../src/base/sql.ts'
import { agentKinds } from '../src/catalog/agent-kinds.ts'
import { chance, chanceBelow, logNormal, normal } from './chance.ts'
import { presence } from './devices.ts'
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
  headroom: typical(({ headroom }) => headroom),
  // The mean fraction of the advertised speed that the line attains. It is low for long copper and for a distant mast.
  line_quality: sql`${typical(({ attained }) => attained)} + ${typical(({ spread }) => spread)} * ${normal('quality', line)}`,
  attained: sql`greatest(0.12, least(${typical(({ limit }) => limit)}, line_quality)) * if(is_poor, 0.25 + 0.4 * ${chance('how poor', line)}, 1)`,
  // The speed of a copper line is constant until its modem connects anew, a few times per month. That of another line changes from
  // day to day, and slowly over months.
  resync: typical(({ resync }) => resync),
  variation: sql`least(0.16, (resync + ${typical(({ drift }) => drift)}) * ${logNormal(sql`0.3`, 'drift', line)})`,
  period_seconds: sql`toUInt32(86400 * if(resync > 0, 2 * exp(2.4 * ${chance('resync', line)}) / if(is_poor, 8, 1), 1))`,
  trend: sql`(resync = 0) * 0.06 * ${chance('trend', line)}`,
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
  outage_days: sql`toUInt32(greatest(5, 110 / failures))`,
  // One result in four hundred is implausible (see `oddity`). Most of these results come from every tenth agent.
  oddities: sql`if(${chance('unreliable', line)} < 0.1, 0.016, 0.001)`,
  // A unit begins its tests at its own time of the hour, in milliseconds. The tests of phones and browsers begin at any time.
  own_start: sql`if(kind > 2, 0, ${chanceBelow(sql`3050000`, 'start', line)})`,
  longest_wait: sql`if(kind > 2, 3200000, 150000)`,
  pace: sql`0.85 + 0.3 * ${chance('pace', line)}`,
  // The fraction of the scheduled tests that the agent runs.
  attendance: sql`${numberOf(agentKinds, (kind) => presence[kind], sql`kind`)} * if(kind > 2, 0.4 + 1.2 * ${chance('diligence', line)}, 1)`,
  // `provider` is the hash of the ISP, `area` the hash of the ISP in the region.
  provider: sql`cityHash64(seed, isp)`,
  area: sql`cityHash64(seed, isp, place)`,
  has_ipv6: sql`${chance('ipv6', line)} < ${typical(({ ipv6 }) => ipv6)}`,
}
