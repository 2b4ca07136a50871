import { createHash } from 'node:crypto'
import { agentKinds } from '../src/catalog/agent-kinds.ts'
import type { AgentRow } from '../src/check/rows/agent-row.ts'
import type { TimelineRow } from '../src/engine/postgres/operator/change-timelines.ts'
import { campaigns } from './campaigns.ts'
import { devices } from './devices.ts'
import { market } from './market.ts'
import type { Member } from './members.ts'
import type { Population } from './options.ts'
import { careless, places } from './places.ts'

const at = <Item>(list: readonly Item[], position: number): Item => {
  const item = list[position - 1]
  if (item === undefined) throw new RangeError(`there is no member ${position} of ${list.length}`)
  return item
}

/** Each panel has its own ranges of unit ids and MAC addresses, so that two synthetic panels do not use the same ones. */
export function agentRow({ panel }: Pick<Population, 'panel'>, member: Member): AgentRow {
  const hash = createHash('sha256').update(panel).digest()
  const kind = at(agentKinds, member.kind)
  const { model } = at(devices[kind], member.device)
  const isUnit = kind === 'whitebox' || kind === 'cpe'
  // A MAC address consists of six random bits, the "locally administered" bit, sixteen random bits, and the agent's position.
  const prefix = [(hash.readUInt8(0) & 0xfc) | 2, hash.readUInt8(1), hash.readUInt8(2)]
  const suffix = [16, 8, 0].map((shift) => (member.ordinal >> shift) & 0xff)
  return {
    agent_id: member.agent_id,
    unit_id: isUnit ? String((1_000_000 + (hash.readUInt32BE(3) % 9_000_000)) * 10_000_000 + member.ordinal) : null,
    mac_address: isUnit ? [...prefix, ...suffix].map((byte) => byte.toString(16).padStart(2, '0')).join(':') : null,
    kind,
    base: model,
    country: at(places, member.place).country,
  }
}

/** The changes of an agent's metadata: at the start, when its time zone is corrected, and when it changes its package. */
export function* timelineRows({ firstDay, lastDay }: Population, member: Member): Generator<TimelineRow> {
  if (member.is_unknown) return
  const { region, zone } = at(places, member.place)
  const wasCareless = member.corrected_on <= lastDay.toString()
  const hasMoved = member.moved_on <= lastDay.toString()
  const unchanged = { agent_id: member.agent_id, isp: null, package: null, timezone: null, custom: '{}' }
  const { custom } = at(campaigns, member.campaign)
  yield {
    ...unchanged,
    ...subscription(member.first_offer, member.is_without_package),
    from_day: firstDay.toString(),
    timezone: wasCareless ? careless : zone,
    custom: JSON.stringify({ region, technology: at(market, member.first_offer).technology, ...custom }),
  }
  const corrected = { from_day: member.corrected_on, timezone: zone }
  const moved = {
    from_day: member.moved_on,
    ...subscription(member.second_offer, member.is_without_package),
    custom: JSON.stringify({ technology: at(market, member.second_offer).technology }),
  }
  if (wasCareless && hasMoved && moved.from_day === corrected.from_day) yield { ...unchanged, ...corrected, ...moved }
  else {
    if (wasCareless) yield { ...unchanged, ...corrected }
    if (hasMoved) yield { ...unchanged, ...moved }
  }
}

function subscription(offer: number, isWithoutPackage: boolean): Pick<TimelineRow, 'isp' | 'package'> {
  const { isp, package: name } = at(market, offer)
  return { isp, package: isWithoutPackage ? null : name }
}
