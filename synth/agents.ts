import { bind, sql, type Sql } from '../src/base/sql.ts'
import { agentKinds, type AgentKind } from '../src/catalog/agent-kinds.ts'
import { chance, chanceBelow, normal, pick, pickBy } from './chance.ts'
import { campaigns } from './campaigns.ts'
import { devices, kindShares } from './devices.ts'
import { numberOf, positionOf } from './lists.ts'
import { market, reachOf, type Offer } from './market.ts'
import type { Population } from './options.ts'
import { places, zones, type Place } from './places.ts'
import type { Columns } from './select.ts'

const line = sql`line`

/** `kind` is a position in the catalogue's list, which ClickHouse processes faster than a string. */
export const is = (kind: AgentKind): Sql => sql`(kind = ${bind('UInt8', agentKinds.indexOf(kind) + 1)})`

const byKind = (value: (kind: AgentKind) => Sql): Sql =>
  sql`multiIf(${is('whitebox')}, ${value('whitebox')}, ${is('cpe')}, ${value('cpe')},
    ${is('mobile')}, ${value('mobile')}, ${value('web')})`

const degrees = (value: (place: Place) => number): Sql => numberOf(places, value, sql`place`)

/** Distance from the centre of the region in kilometres, at most two standard deviations. */
const offset = (direction: 'north' | 'east'): Sql =>
  sql`greatest(-2, least(2, ${normal(direction, line)})) * ${degrees(({ spreadKm }) => spreadKm)}`
/** A UTC hour between 9 and 21 hours of solar time, when people install and remove devices. */
const hourOfDay = (purpose: string): Sql =>
  sql`(33 + ${chanceBelow(sql`6`, purpose, line)} + ${chanceBelow(sql`8`, `${purpose} more`, line)} - round(longitude / 15)) % 24`

/**
 * Derives an agent's traits from the hash `line` alone. Registration and results both use them, so that metadata and
 * measurements cannot disagree. Positions in lists start at 1, as in ClickHouse.
 */
export function agentTraits({ kinds, isp, geography, firstDay, lastDay }: Population): Columns {
  const days = firstDay.until(lastDay).days + 1
  const first = sql`toDate(${bind('String', firstDay.toString())})`
  // A day after all results, also after those that `--follow` writes later.
  const never = sql`toDate('2149-01-01')`
  /** A day in the middle four fifths of the range, so that there are results before and after it. `never` for other agents. */
  const middle = sql`${bind('UInt32', Math.max(1, Math.floor(days * 0.8)))}`
  const someDay = (share: number, purpose: string): Sql =>
    sql`if(${chance(`${purpose}?`, line)} < ${bind('Float64', share)},
      ${first} + ${bind('UInt32', Math.ceil(days / 10))} + ${chanceBelow(middle, purpose, line)},
      ${never})`
  const isSold = (offer: Offer, toPhones: boolean) =>
    (offer.technology === 'mobile') === toPhones && (toPhones || isp === null || offer.isp === isp)
  const offersTo = (phones: boolean, region: string) =>
    market.map((offer) => ({ share: isSold(offer, phones) ? offer.share * reachOf(offer.isp, region) : 0 }))
  const homes = places.map(({ region }) => offersTo(false, region))
  // Mobile carriers sell in every region.
  const phones = offersTo(true, '')
  const pickOffer = (purpose: string): Sql =>
    sql`if(${is('mobile')}, ${pick(phones, purpose, line)}, ${pickBy(homes, sql`place`, purpose, line)})`
  const kindsHere = agentKinds.map((kind) => ({ share: kinds.includes(kind) ? kindShares[kind] : 0 }))
  const placesHere = places.map((place) => ({ share: place.geography === geography ? place.share : 0 }))
  return {
    kind: pick(kindsHere, 'kind', line),
    device: byKind((kind) => pick(devices[kind], 'device', line)),
    place: pick(placesHere, 'place', line),
    latitude: sql`${degrees(({ latitude }) => latitude)} + ${offset('north')} / 111.2`,
    longitude: sql`${degrees(({ longitude }) => longitude)} + ${offset('east')} / (111.2 * cos(pi() * latitude / 180))`,
    zone: positionOf(places, zones, ({ zone }, name) => zone === name, sql`place`),
    first_offer: pickOffer('offer'),
    // A household upgrades its package; a phone changes its contract.
    moved_on: someDay(0.06, 'moved'),
    second_offer: pickOffer('second offer'),
    // The agent was registered with a wrong time zone. The owner of the panel corrected it on this day.
    corrected_on: someDay(0.03, 'corrected'),
    joined_on: sql`if(${chance('joins late', line)} < 0.12, ${someDay(1, 'joined')}, ${first})`,
    left_on: someDay(0.08, 'left'),
    // The first hour of an agent that joins late, and the end of the last one of an agent that leaves, as numbers of UTC hours.
    joined_hour: sql`toUInt32(joined_on) * 24 + if(joined_on = ${first}, 0, ${hourOfDay('hour joined')})`,
    left_hour: sql`toUInt32(left_on) * 24 - 24 + ${hourOfDay('hour left')}`,
    campaign: pick(campaigns, 'campaign', line),
    // Some agents have no metadata at all, and some have an unknown package.
    is_unknown: sql`${chance('unknown', line)} < 0.01`,
    is_without_package: sql`${chance('without package', line)} < 0.01`,
  }
}
