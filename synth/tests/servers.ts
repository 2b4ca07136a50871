import { sql, type Sql } from '../../src/base/sql.ts'
import { chanceBelow } from '../chance.ts'
import { textOf } from '../lists.ts'
import { isps } from '../market.ts'

const servers = ['london-1', 'london-2', 'newyork-1', 'phoenix-1', 'bengaluru-1', 'sydney-1']

/** Test servers outside the ISP's network, all alike to agents. */
export const testServer: Sql = textOf(servers, (name) => `${name}.test.example.net`, sql`1 + server`)

/** Number of the server a result was measured against; agents keep to two. */
export const server: Sql = sql`(place + ${chanceBelow(sql`2`, 'server')}) % 6`

/** Addresses from the ranges set aside for documentation. */
export const addressOf = (number: Sql, isIpv6: Sql): Sql =>
  sql`if(${isIpv6}, concat('2001:db8:5::', lower(hex(toUInt16(${number})))),
    concat('192.0.2.', toString(1 + (${number}) % 250)))`

/** A host in the ISP's own network. */
export const hostOfIsp = (host: Sql): Sql => sql`concat(${host}, '.', ${textOf(isps, domainOf, sql`isp`)})`

const domainOf = (isp: string): string => `${isp.toLowerCase().replaceAll(' ', '-')}.example.net`
