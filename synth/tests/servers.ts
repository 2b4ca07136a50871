import { bind, sql, type Sql } from '../../src/base/sql.ts'
import { chance } from '../chance.ts'
import { textOf } from '../lists.ts'
import { isps } from '../market.ts'
import { roundTripTo } from '../networks.ts'
import type { Columns } from '../select.ts'
import { siteNumber, sites, type SiteName } from '../sites.ts'

/** Test servers outside the ISP's network. */
export const testServer: Sql = textOf(sites, ({ name }) => `${name}.test.example.net`, sql`server`)

/**
 * The site of a result's test server. It is nearly always the site nearest to the agent. For some hours or days it is the second
 * nearest, and in one result of fifty a distant one, so that charts can compare servers.
 */
const server: Sql = sql`multiIf(${chance('server', sql`line + intDiv(hour_number + line % 3, 3)`)} < 0.02,
    if(line % 2 = 0, ${bind('UInt8', siteNumber('frankfurt-1'))}, ${bind('UInt8', siteNumber('newyork-1'))}),
  target_fate % 2 = 0 AND target_left > 0, second_near, near)`

/** The test server and the shortest round trip to it. */
export const toServer: Columns = { server, server_rtt: roundTripTo(sql`server`) }

/** A web host: at one site, or at every site. If it is at every site, the nearest site answers. */
export type WebHost = { readonly site: SiteName | 'every' }

/** The site at which a host of the list answers the agent. */
export const siteOf = (hosts: readonly WebHost[], host: Sql): Sql => {
  const numbers = bind(
    'Array(UInt8)',
    hosts.map(({ site }) => (site === 'every' ? 0 : siteNumber(site))),
  )
  return sql`if(${numbers}[${host}] = 0, near, ${numbers}[${host}])`
}

/** Addresses from the ranges reserved for documentation (RFC 3849, RFC 5737). */
export const addressOf = (number: Sql, isIpv6: Sql): Sql =>
  sql`if(${isIpv6}, concat('2001:db8:5::', lower(hex(toUInt16(${number})))),
    concat('192.0.2.', toString(1 + (${number}) % 250)))`

/** The name of a host in the network of the ISP. */
export const hostOfIsp = (host: Sql): Sql => sql`concat(${host}, '.', ${textOf(isps, domainOf, sql`isp`)})`

const domainOf = (isp: string): string => `${isp.toLowerCase().replaceAll(' ', '-')}.example.net`
