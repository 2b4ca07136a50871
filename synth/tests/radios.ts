import { bind, sql } from '../../src/base/sql.ts'
import { chance, logNormal, normal, pick } from '../chance.ts'
import { numberOf, textOf } from '../lists.ts'
import { isps } from '../market.ts'
import type { Columns } from '../select.ts'

/** What a phone is connected by. Rates in Mbit/s and times in milliseconds are medians. */
const radios = [
  { name: '5G', share: 42, down: 190, up: 28, rttMs: 24, jitterMs: 4 },
  { name: '4G', share: 50, down: 38, up: 11, rttMs: 42, jitterMs: 8 },
  { name: '3G', share: 6, down: 4.5, up: 1.4, rttMs: 85, jitterMs: 18 },
  { name: '2G', share: 2, down: 0.14, up: 0.06, rttMs: 420, jitterMs: 60 },
  { name: 'Wi-Fi', share: 0, down: 85, up: 22, rttMs: 21, jitterMs: 3 },
]

const figure = (value: (radio: (typeof radios)[number]) => number) => numberOf(radios, value, sql`radio`)

/** Some carriers have more masts than others. */
const strengths: Record<string, number> = {
  'Vista Mobile': 1.2,
  Papaya: 1,
  'Meridian Cellular': 0.85,
  'Thrift Mobile': 0.6,
}

/** On Wi-Fi at home in the evening and at night, mostly; out and about on whatever the place has. */
export const radioSteps: Columns = {
  is_wifi: sql`${chance('wifi')} < if(local_hour BETWEEN 8 AND 18, 0.35, 0.68)`,
  radio: sql`if(is_wifi, ${bind('UInt8', radios.length)}, ${pick(radios, 'radio')})`,
  strength: sql`if(is_wifi, 1, ${numberOf(isps, (isp) => strengths[isp] ?? 1, sql`isp`)})`,
  signal: sql`strength * ${logNormal(sql`0.55`, 'signal')}`,
  radio_down: sql`${figure(({ down }) => down)} * 125000 * signal * (1 - evening_dip * busy)
    * greatest(0.3, 1 + noise * ${normal('throughput')})`,
  radio_up: sql`${figure(({ up }) => up)} * 125000 * signal * (1 - 0.5 * evening_dip * busy)`,
  radio_rtt: sql`1000 * ${figure(({ rttMs }) => rttMs)} * ${logNormal(sql`0.25`, 'radio rtt')}`,
  radio_jitter: sql`1000 * ${figure(({ jitterMs }) => jitterMs)} * ${logNormal(sql`0.5`, 'radio jitter')}`,
}

export const radioColumns: Columns = {
  connection_type: sql`if(is_wifi, 'Wi-Fi', 'Cellular')`,
  cellular_technology: sql`if(is_wifi, NULL, ${textOf(radios, ({ name }) => name, sql`radio`)})`,
}
