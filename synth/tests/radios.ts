import { bind, sql } from '../../src/base/sql.ts'
import { chance, hash, logNormal, normal, pick } from '../chance.ts'
import { numberOf, textOf } from '../lists.ts'
import { isps } from '../market.ts'
import type { Failures } from '../circumstances.ts'
import type { Columns } from '../select.ts'

/** A type of connection that a phone can have. The rates (Mbit/s), times (ms) and the fraction of lost packets are medians. */
const radios = [
  { name: '5G', share: 35, down: 160, up: 24, rttMs: 13, jitterMs: 3, loss: 0.002, failures: 0.006 },
  { name: '4G', share: 64.2, down: 36, up: 11, rttMs: 16.5, jitterMs: 4, loss: 0.005, failures: 0.01 },
  { name: '3G', share: 0.4, down: 4.5, up: 1.4, rttMs: 70, jitterMs: 18, loss: 0.014, failures: 0.035 },
  { name: '2G', share: 0.4, down: 0.14, up: 0.06, rttMs: 420, jitterMs: 60, loss: 0.04, failures: 0.09 },
  { name: 'Wi-Fi', share: 0, down: 85, up: 22, rttMs: 11, jitterMs: 3, loss: 0.003, failures: 0.003 },
]

/** Round-trip times (ms) of a phone over Wi-Fi, by the line of its household: fibre, cable, VDSL, ADSL, radio. */
const homeLines = [
  { share: 35, rttMs: 6 },
  { share: 25, rttMs: 11 },
  { share: 30, rttMs: 12 },
  { share: 6, rttMs: 20 },
  { share: 4, rttMs: 26 },
]
const homeRtt = numberOf(homeLines, ({ rttMs }) => rttMs, pick(homeLines, 'home line', sql`line`))

const typical = (value: (radio: (typeof radios)[number]) => number) => numberOf(radios, value, sql`radio`)

/** A factor per carrier, because some carriers have more masts than others. */
const strengths: Record<string, number> = {
  'Vista Mobile': 1.2,
  Papaya: 1,
  'Meridian Cellular': 0.85,
  'Thrift Mobile': 0.6,
}

/** Countries that phones visit, with their distance from London: a roaming phone's traffic passes through its home network. */
export const abroad = [
  { country: 'ES', share: 5, km: 1260 },
  { country: 'FR', share: 4, km: 340 },
  { country: 'IE', share: 3, km: 460 },
  { country: 'IT', share: 2, km: 1430 },
  { country: 'PT', share: 2, km: 1590 },
  { country: 'US', share: 1, km: 5570 },
]

/** A phone stays at a place for a few hours. */
const stay = sql`line + day * 8 + intDiv(local_hour + line % 4, 4)`
/** Share of the phones that are on Wi-Fi, by local hour: most at night, and fewer while people are at work or on their way. */
const wifiByHour = [
  0.85, 0.89, 0.91, 0.92, 0.91, 0.88, 0.8, 0.66, 0.51, 0.45, 0.43, 0.41, 0.39, 0.4, 0.42, 0.44, 0.47, 0.53, 0.6, 0.66,
  0.71, 0.75, 0.79, 0.82,
]
/** Some people use Wi-Fi nearly always, others hardly. At weekends more are at home. */
const isWifi = sql`(${chance('wifi', stay)} < ${numberOf(wifiByHour, (share) => share, sql`local_hour + 1`)}
  + 0.5 * (${chance('wifi', sql`line`)} - 0.5) + if(weekday > 5 AND local_hour BETWEEN 8 AND 17, 0.12, 0))`
const radio = sql`if(${isWifi}, ${bind('UInt8', radios.length)}, ${pick(radios, 'radio', stay)})`

/** The rate of failed tests. It is higher for older cellular technologies. */
export const radioFailures = (rate: number): Failures => ({
  rate,
  besides: sql`${chance('radio fails')} < ${numberOf(radios, ({ failures }) => failures, radio)}`,
})

export const radioSteps: Columns = {
  is_wifi: isWifi,
  radio,
  strength: sql`if(is_wifi, 1, ${numberOf(isps, (isp) => strengths[isp] ?? 1, sql`isp`)})`,
  signal: sql`strength * ${logNormal(sql`0.5`, 'signal', stay)} * ${logNormal(sql`0.25`, 'signal')}`,
  radio_down: sql`${typical(({ down }) => down)} * 125000 * signal * (1 - evening_dip * busy)
    * greatest(0.3, 1 + noise * ${normal('throughput')})`,
  radio_up: sql`${typical(({ up }) => up)} * 125000 * signal * (1 - 0.5 * evening_dip * busy)`,
  // Now and then the phone is abroad for four days.
  is_abroad: sql`${hash(sql`line + intDiv(hour_number + line % 96, 96)`, 'abroad')} % 70 = 0`,
  journey: pick(abroad, 'journey', sql`line`),
  radio_rtt: sql`1000 * if(is_wifi, ${homeRtt}, ${typical(({ rttMs }) => rttMs)}) * ${logNormal(sql`0.25`, 'radio rtt')}
    + if(is_abroad, 15 * ${numberOf(abroad, ({ km }) => km, sql`journey`)}, 0)`,
  radio_jitter: sql`1000 * ${typical(({ jitterMs }) => jitterMs)} * ${logNormal(sql`0.5`, 'radio jitter')}`,
}

/**
 * A factor for the place of the phone, for example in a building, in a train or next to the mast. It varies as much as the
 * network.
 */
export const radioLoss = sql`${typical(({ loss }) => loss)} * ${logNormal(sql`0.4`, 'radio loss')} / sqrt(strength)`

export const radioColumns: Columns = {
  connection_type: sql`if(is_wifi, 'Wi-Fi', 'Cellular')`,
  cellular_technology: sql`if(is_wifi, NULL, ${textOf(radios, ({ name }) => name, sql`radio`)})`,
}
