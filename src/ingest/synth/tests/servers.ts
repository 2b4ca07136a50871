import { sql, type Sql } from '../../../base/sql.ts'
import { chanceBelow, textAt } from '../chance.ts'
import { market } from '../market.ts'

const regions = ['london', 'manchester', 'newyork', 'phoenix', 'bengaluru', 'sydney']

/** Test servers outside the ISP's network, all alike to agents. */
export const testServer: Sql = sql`concat(${textAt(regions, sql`1 + server`)}, '-', toString(1 + server % 3), '.test.example.net')`

/** Number of the server a result was measured against; agents keep to a few. */
export const server: Sql = sql`(place + ${chanceBelow(sql`2`, 'server')}) % 6`

/** Addresses from the ranges set aside for documentation. */
export const addressOf = (number: Sql, isIpv6: Sql): Sql =>
  sql`if(${isIpv6}, concat('2001:db8:5::', lower(hex(toUInt16(${number})))),
    concat('192.0.2.', toString(1 + (${number}) % 250)))`

/** A host in the ISP's own network. */
export const hostOfIsp = (host: Sql): Sql => sql`concat(${host}, '.', ${textAt(domains, sql`offer`)})`

const domains = market.map(({ isp }) => `${isp.toLowerCase().replaceAll(' ', '-')}.example.net`)
