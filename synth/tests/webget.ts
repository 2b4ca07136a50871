import { sql, type Sql } from '../../src/base/sql.ts'
import webget from '../../src/catalog/tests/webget.ts'
import { chance, chanceBelow, logNormal } from '../chance.ts'
import { defineSynthesis } from '../define-synthesis.ts'
import { numberOf, textOf } from '../lists.ts'
import { addressOf } from './servers.ts'
import { throughput } from './transfer.ts'

/** Front pages: how large they are, and of how many objects. */
const pages = [
  { url: 'http://www.example.com/', bytes: 1_400_000, objects: 42 },
  { url: 'http://news.example.org/', bytes: 3_100_000, objects: 96 },
  { url: 'http://shop.example.net/', bytes: 2_300_000, objects: 71 },
  { url: 'http://video.example.com/', bytes: 900_000, objects: 28 },
]

/** Unless it is one of those that are over before they began, or that never end. */
export const believable = (time: Sql): Sql =>
  sql`multiIf(oddity = 0, ${time}, oddity % 2 = 1, 20000 + 20000 * ${chance('too fast')}, 31000000 + ${time})`

export default defineSynthesis({
  test: webget,
  steps: {
    page: sql`1 + ${chanceBelow(sql`4`, 'page')}`,
    object_count: sql`${numberOf(pages, ({ objects }) => objects, sql`page`)} + ${chanceBelow(sql`7`, 'objects')}`,
    size: sql`${numberOf(pages, ({ bytes }) => bytes, sql`page`)} * ${logNormal(sql`0.08`, 'size')}`,
    first_byte: sql`line_rtt * 1.1 + 12000 * ${logNormal(sql`0.5`, 'server')} * (1 + 0.4 * busy)`,
    lookup: sql`line_rtt + 3000 * ${logNormal(sql`0.5`, 'lookup')}`,
    // Eight at a time: waiting for answers, and the line itself.
    line_time: sql`1000000 * size / least(${throughput(sql`advertised_down`)}, 9000000)`,
    fetch: believable(sql`2 * lookup + object_count / 8 * (first_byte + 9000) + line_time`),
    request: sql`first_byte + 9000 * ${logNormal(sql`0.2`, 'request')}`,
  },
  always: {
    target: textOf(pages, ({ url }) => url, sql`page`),
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
    requests: sql`object_count`,
    connections: sql`8 + object_count % 5`,
    reused_connections: sql`object_count - 8 - object_count % 5`,
    lookups: sql`2 + page`,
    request_total_time: sql`request * object_count`,
    request_min_time: sql`0.6 * request`,
    request_avg_time: sql`request`,
    request_max_time: sql`request * (2 + ${chance('slowest')})`,
    ttfb_total: sql`first_byte * object_count`,
    ttfb_min: sql`0.7 * first_byte`,
    ttfb_avg: sql`first_byte`,
    ttfb_max: sql`first_byte * (2 + ${chance('slowest')})`,
    lookup_total_time: sql`lookup * (2 + page)`,
    lookup_min_time: sql`0.5 * lookup`,
    lookup_avg_time: sql`lookup`,
    lookup_max_time: sql`lookup * 2.4`,
  },
})
