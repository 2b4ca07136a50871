import { sql, type Sql } from '../../src/base/sql.ts'
import webget from '../../src/catalog/tests/webget.ts'
import { chance, chanceBelow, logNormal } from '../chance.ts'
import { defineSynthesis } from '../define-synthesis.ts'
import { numberOf, textOf } from '../lists.ts'
import { roundTripTo } from '../networks.ts'
import { addressOf, siteOf, type WebHost } from './servers.ts'
import { throughput } from './transfer.ts'

/** Web pages: their size, their number of objects, and the time in which their server prepares a response. */
export const webPages = [
  { url: 'http://www.example.com/', site: 'every', bytes: 1_400_000, objects: 42, serverMs: 14 },
  { url: 'http://news.example.org/', site: 'london-1', bytes: 3_100_000, objects: 96, serverMs: 22 },
  { url: 'http://shop.example.net/', site: 'frankfurt-1', bytes: 2_300_000, objects: 71, serverMs: 45 },
  { url: 'http://video.example.com/', site: 'every', bytes: 900_000, objects: 28, serverMs: 30 },
] as const satisfies readonly (WebHost & { url: string; bytes: number; objects: number; serverMs: number })[]

/** Position of the page that an agent fetches in this hour. */
export const pageOfHour = sql`1 + ${chanceBelow(sql`4`, 'page', sql`line + hour_number`)}`

/**
 * The time of a page. One page in 200 waits for packets that were lost and sent again after one or more seconds. In an
 * implausible result (`oddity`) the page was incomplete, or a server answered only after many attempts.
 */
export const believable = (time: Sql): Sql =>
  sql`multiIf(oddity = 0, ${time} + if(${chance('timeout')} < 0.005, 1000000 * exp(2.5 * ${chance('timeouts')}), 0),
    oddity % 2 = 1, 20000 + (${time}) * ${chance('incomplete')} * ${chance('incomplete')}, ${time} + 2000000 * exp(3.5 * ${chance('attempts')}))`

export default defineSynthesis({
  test: webget,
  afterSeconds: 20,
  failures: { rate: 0.0035 },
  steps: {
    page: pageOfHour,
    // The size of a page changes every day.
    growth: sql`${logNormal(sql`0.12`, 'page', sql`cityHash64(seed, page) + day`)}`,
    object_count: sql`toUInt16(growth * ${numberOf(webPages, ({ objects }) => objects, sql`page`)}) + ${chanceBelow(sql`5`, 'objects')}`,
    size: sql`growth * ${numberOf(webPages, ({ bytes }) => bytes, sql`page`)} * ${logNormal(sql`0.04`, 'size')}`,
    connection_count: sql`8 + ${chanceBelow(sql`6`, 'connections')}`,
    lookup_count: sql`2 + page`,
    page_rtt: roundTripTo(siteOf(webPages, sql`page`)),
    server_time: sql`1000 * ${numberOf(webPages, ({ serverMs }) => serverMs, sql`page`)}`,
    first_byte: sql`page_rtt * 1.05 + server_time * ${logNormal(sql`0.5`, 'server')} * (1 + 0.4 * busy)`,
    fastest_byte: sql`page_rtt + (0.1 + 0.4 * ${chance('fastest first byte')}) * (first_byte - page_rtt)`,
    resolver_rtt: roundTripTo(sql`hub`),
    lookup: sql`resolver_rtt + 3000 * ${logNormal(sql`0.5`, 'lookup')}`,
    // `fetch` loads eight objects at a time: it waits for answers, and for the line itself.
    line_time: sql`1000000 * size / least(${throughput('down')}, 9000000)`,
    fetch: believable(sql`2 * lookup + object_count / 8 * (first_byte + 9000) + line_time`),
    request: sql`first_byte + 9000 * ${logNormal(sql`0.2`, 'request')}`,
  },
  always: {
    target: textOf(webPages, ({ url }) => url, sql`page`),
    address: addressOf(sql`100 + page`, sql`false`),
    threads: sql`8`,
    successes: sql`NOT is_failed`,
    failures: sql`is_failed`,
  },
  measured: {
    fetch_time: sql`fetch`,
    bytes_total: sql`size`,
    bytes_sec: sql`1000000 * size / fetch`,
    objects: sql`object_count`,
    requests: sql`object_count + ${chanceBelow(sql`3`, 'redirects')}`,
    connections: sql`connection_count`,
    reused_connections: sql`object_count - connection_count`,
    lookups: sql`lookup_count`,
    request_total_time: sql`request * object_count`,
    request_min_time: sql`fastest_byte + (0.3 + 0.5 * ${chance('fastest request')}) * (request - first_byte)`,
    request_avg_time: sql`request`,
    request_max_time: sql`request * (1.6 + ${logNormal(sql`0.5`, 'slowest request')})`,
    ttfb_total: sql`first_byte * object_count`,
    ttfb_min: sql`fastest_byte`,
    ttfb_avg: sql`first_byte`,
    ttfb_max: sql`first_byte * (1.5 + ${logNormal(sql`0.5`, 'slowest first byte')})`,
    lookup_total_time: sql`lookup * lookup_count`,
    lookup_min_time: sql`resolver_rtt + (0.1 + 0.2 * ${chance('shortest lookup')}) * (lookup - resolver_rtt)`,
    lookup_avg_time: sql`lookup`,
    // Of n lookups, the longest one is at most n - 1 times as far above the mean as the mean is above the shortest one.
    lookup_max_time: sql`lookup + 0.7 * (lookup - resolver_rtt) * (1 + (lookup_count - 2) * ${chance('longest lookup')})`,
  },
})
