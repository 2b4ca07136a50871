import { bind, sql, type Sql } from '../src/base/sql.ts'
import { agentKinds, type AgentKind } from '../src/catalog/agent-kinds.ts'
import { chance, chanceBelow, pick } from './chance.ts'
import { campaigns } from './campaigns.ts'
import { devices, kindShares } from './devices.ts'
import { positionOf } from './lists.ts'
import { market, type Offer } from './market.ts'
import type { Population } from './options.ts'
import { places, zones } from './places.ts'
import type { Columns } from './select.ts'

const line = sql`line`

/** Whether an agent is of a kind; `kind` is its position in the catalogue's list, which is cheaper to carry than a word. */
export const is = (kind: AgentKind): Sql => sql`(kind = ${bind('UInt8', agentKinds.indexOf(kind) + 1)})`

const byKind = (value: (kind: AgentKind) => Sql): Sql =>
  sql`multiIf(${is('whitebox')}, ${value('whitebox')}, ${is('cpe')}, ${value('cpe')},
    ${is('mobile')}, ${value('mobile')}, ${value('web')})`

/**
 * Who an agent is, from the hash `line` alone. Registering the agents and making their results both start here, so that
 * metadata and measurements cannot disagree. Positions in lists are from 1, as the engine counts.
 */
export function agentTraits({ kinds, isp, firstDay, lastDay }: Population): Columns {
  const days = firstDay.until(lastDay).days + 1
  const first = sql`toDate(${bind('String', firstDay.toString())})`
  const never = sql`toDate(${bind('String', lastDay.add({ days: 1 }).toString())})`
  /** A day of the middle four fifths, so that before and after can both be seen; never, for the others. */
  const middle = sql`${bind('UInt32', Math.max(1, Math.floor(days * 0.8)))}`
  const someDay = (share: number, purpose: string): Sql =>
    sql`if(${chance(`${purpose}?`, line)} < ${bind('Float64', share)},
      ${first} + ${bind('UInt32', Math.ceil(days / 10))} + ${chanceBelow(middle, purpose, line)},
      ${never})`
  const isSold = (offer: Offer, toPhones: boolean) =>
    (offer.technology === 'mobile') === toPhones && (toPhones || isp === null || offer.isp === isp)
  const offersTo = (phones: boolean) => market.map((offer) => ({ share: isSold(offer, phones) ? offer.share : 0 }))
  const pickOffer = (purpose: string): Sql =>
    sql`if(${is('mobile')}, ${pick(offersTo(true), purpose, line)}, ${pick(offersTo(false), purpose, line)})`
  const kindsHere = agentKinds.map((kind) => ({ share: kinds.includes(kind) ? kindShares[kind] : 0 }))
  return {
    kind: pick(kindsHere, 'kind', line),
    device: byKind((kind) => pick(devices[kind], 'device', line)),
    place: pick(places, 'place', line),
    zone: positionOf(places, zones, ({ zone }, name) => zone === name, sql`place`),
    first_offer: pickOffer('offer'),
    // Households move up, phones change their contract.
    moved_on: someDay(0.06, 'moved'),
    second_offer: pickOffer('second offer'),
    // Registered in a hurry, with the wrong zone, until somebody looked.
    corrected_on: someDay(0.03, 'corrected'),
    joined_on: sql`if(${chance('joins late', line)} < 0.05, ${someDay(1, 'joined')}, ${first})`,
    left_on: someDay(0.04, 'left'),
    campaign: pick(campaigns, 'campaign', line),
    // Nobody ever told what these have, or which package.
    is_unknown: sql`${chance('unknown', line)} < 0.01`,
    is_without_package: sql`${chance('without package', line)} < 0.01`,
  }
}
