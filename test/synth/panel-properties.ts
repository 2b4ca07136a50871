import { hour, isSpeed, overLines, zone, type Property } from './property.ts'

/** Gigabytes per month of each household, both directions, without the agent's own tests. */
const households = `SELECT agent, avg(wan_rx_bytes - sk_rx_bytes + wan_tx_bytes - sk_tx_bytes) * 730 / 1e9 AS gigabytes
  FROM db.network_usage JOIN lines USING (agent)
  WHERE wan_rx_bytes BETWEEN sk_rx_bytes AND 100e9 AND wan_tx_bytes >= sk_tx_bytes GROUP BY agent`

const radio = (value: string, test: string, generation: string): string =>
  `SELECT ${value} AS value FROM db.${test} WHERE cellular_technology = '${generation}' AND geo_country = 'GB'
     AND successes = 1 AND ${test === 'mobile_download' ? 'bytes_sec BETWEEN 1 AND 1.25e9' : 'rtt_min > 500 AND rtt_max - rtt_min < 300000'}`

/** Hours between an agent's first and last result, and those among them with a result of the hourly latency test. */
const activeHours = `SELECT agent, dateDiff('hour', min(dtime), max(dtime)) + 1 AS hours, uniqExact(toStartOfHour(dtime)) AS present,
    dateDiff('day', min(dtime), max(dtime)) + 1 AS days, uniqExact(toDate(dtime)) AS present_days
  FROM db.latency JOIN lines USING (agent) GROUP BY agent`

const mobileMatters2024 = 'Ofcom, Mobile Matters, 2024'

/** Services, usage, phones, and the agents themselves. */
export const panelProperties: readonly Property[] = [
  {
    name: 'DNS: median response time, all lines',
    unit: 'ms',
    published: '10 to 25 ms by technology: the round trip to the resolver, plus recursion for a name in ten',
    source: 'Ofcom, UK home broadband performance',
    basis: 'recalled',
    band: [8, 25],
    query: overLines('quantileExact(0.5)(rtt) / 1000', 'dns', 'rtt BETWEEN 1 AND 10e6'),
  },
  {
    name: 'DNS: failed lookups, all lines',
    unit: '%',
    published: '0.1 to 1 % by ISP',
    source: 'Ofcom, UK home broadband performance',
    basis: 'recalled',
    band: [0.1, 1],
    query: 'SELECT 100 * countIf(successes = 0) / count() AS value FROM db.dns JOIN lines USING (agent)',
    isDeep: true,
  },
  {
    name: 'Traceroute: median hops to the nearest servers',
    unit: 'hops',
    published: 'to random hosts of the world: median 11 from Dublin, 13 from San Diego, 10th percentiles 7 and 8',
    source: 'CAIDA, Archipelago monitor statistics',
    basis: 'looked up',
    band: [6, 12],
    query: `SELECT quantileExact(0.5)(hop) AS value FROM db.traceroute JOIN lines USING (agent)
      WHERE hop_address = address AND NOT match(target, '^(newyork|frankfurt)')`,
  },
  {
    name: 'Web: median load time of a front page on lines of 50 Mbit/s or more',
    unit: 's',
    published: 'fibre 2.0 s, VDSL 2.5 to 3.4 s (New Zealand, 2014); about 1 s from 25 Mbit/s (recalled)',
    source: 'TrueNet, March 2014; FCC, Measuring Broadband America, 9th report, chart 9',
    basis: 'looked up',
    band: [0.4, 2.1],
    query: overLines(
      'quantileExact(0.5)(fetch_time) / 1e6',
      'webget',
      'fetch_time BETWEEN 50000 AND 30e6 AND sold >= 50e6',
    ),
  },
  {
    name: 'Usage: mean of a household per month, both directions',
    unit: 'GB',
    published: 'United Kingdom 453 GB (2021); United States 534 GB (2023), 698 GB (Q4 2024)',
    source: 'Ofcom, Connected Nations 2021; OpenVault, OVBI, 2023 and Q4 2024',
    basis: 'looked up',
    band: [450, 700],
    query: `SELECT avg(gigabytes) AS value FROM (${households})`,
    isDeep: true,
  },
  {
    name: 'Usage: households with more than 1 TB per month',
    unit: '%',
    published: '7.3 % at a mean of 344 GB (2019), 18.2 % (Q2 2024), 24.3 % at a mean of 698 GB (Q4 2024)',
    source: 'OpenVault, OVBI, Q4 2019, Q2 2024 and Q4 2024',
    basis: 'looked up',
    band: [8, 25],
    query: `SELECT 100 * countIf(gigabytes > 1000) / count() AS value FROM (${households})`,
    isDeep: true,
  },
  {
    name: 'Usage: received at 19–22 h, relative to 2–6 h',
    unit: 'times',
    published: 'residential networks carry 4 to 8 times as much in the evening',
    source: 'traffic curves of ISPs and Internet exchanges',
    basis: 'recalled',
    band: [4, 8],
    query: `SELECT avgIf(used, ${hour} BETWEEN 19 AND 21) / avgIf(used, ${hour} BETWEEN 2 AND 5) AS value
      FROM (SELECT dtime, wan_rx_bytes - sk_rx_bytes AS used FROM db.network_usage JOIN lines USING (agent)
            WHERE wan_rx_bytes BETWEEN sk_rx_bytes AND 100e9)`,
  },
  {
    name: 'IPv6: lines that have it',
    unit: '%',
    published: '48 % of the users in the United Kingdom (November 2024)',
    source: 'Google, IPv6 statistics, reported by Mythic Beasts, 2024',
    basis: 'looked up',
    band: [40, 60],
    query: `SELECT 100 * avg(x) AS value FROM (
      SELECT agent, max(ip_version = 6) AS x FROM db.httpget JOIN lines USING (agent) GROUP BY agent)`,
  },
  {
    name: '5G: mean download speed',
    unit: 'Mbit/s',
    published: 'United Kingdom mean 129.9 (2022/23); world median 166 (2021)',
    source: 'Ofcom, Mobile Matters, 2023; Ookla, 2021',
    basis: 'looked up',
    band: [110, 200],
    query: radio('avg(bytes_sec) * 8 / 1e6', 'mobile_download', '5G'),
  },
  {
    name: '4G: mean download speed',
    unit: 'Mbit/s',
    published: 'mean 29.5; operators 18.8 to 44.1 (2022/23)',
    source: 'Ofcom, Mobile Matters, 2023',
    basis: 'looked up',
    band: [19, 44],
    query: radio('avg(bytes_sec) * 8 / 1e6', 'mobile_download', '4G'),
  },
  {
    name: '5G: mean latency',
    unit: 'ms',
    published: 'operators 16.3 to 21.4 (2023/24), to near servers; plus up to 8 ms to the servers of the panel',
    source: mobileMatters2024,
    basis: 'looked up',
    band: [16, 30],
    query: radio('avg(rtt_avg) / 1000', 'mobile_latency', '5G'),
  },
  {
    name: '4G: mean latency',
    unit: 'ms',
    published: 'operators 18.3 to 23.7 (2023/24), to near servers; plus up to 8 ms to the servers of the panel',
    source: mobileMatters2024,
    basis: 'looked up',
    band: [18, 32],
    query: radio('avg(rtt_avg) / 1000', 'mobile_latency', '4G'),
  },
  {
    name: '2G and 3G: share of the cellular results',
    unit: '%',
    published: '2.4 % of the connections: 3G 2.3 %, 2G 0.1 % (2023/24)',
    source: mobileMatters2024,
    basis: 'looked up',
    band: [0, 4],
    query: `SELECT 100 * countIf(cellular_technology IN ('2G', '3G')) / count() AS value FROM db.mobile_latency
      WHERE connection_type = 'Cellular'`,
  },
  {
    name: 'Wi-Fi: share of the results of phones',
    unit: '%',
    published: '62.3 % of the time (2022/23)',
    source: 'Ofcom, Mobile Matters, 2023',
    basis: 'looked up',
    band: [50, 70],
    query: `SELECT 100 * countIf(connection_type = 'Wi-Fi') / count() AS value FROM db.mobile_latency`,
  },
  {
    name: 'Agents: hours without a result between the first and the last one',
    unit: '%',
    published: 'probes are connected for 90 to 97 % of their active life',
    source: 'RIPE Labs, RIPE Atlas probe lifetimes, 2016',
    basis: 'recalled',
    band: [3, 10],
    query: `SELECT 100 * (1 - sum(present) / sum(hours)) AS value FROM (${activeHours})`,
  },
  {
    name: 'Agents: days without a result between the first and the last one',
    unit: '%',
    published: 'less than the hours, because most absences are shorter than a day',
    source: 'follows from the hours',
    basis: 'reasoned',
    band: [1, 6],
    query: `SELECT 100 * (1 - sum(present_days) / sum(days)) AS value FROM (${activeHours})`,
    isDeep: true,
  },
  {
    name: 'Lines: day-to-day coefficient of variation of the mean speed, median line',
    unit: '%',
    published: '3 to 10 %: fibre varies little because the plan limits it, shared lines and radio vary more',
    source: 'no publication found',
    basis: 'reasoned',
    band: [3, 10],
    query: `SELECT quantileExact(0.5)(x) AS value FROM (
      SELECT agent, 100 * stddevSamp(daily) / avg(daily) AS x FROM (
        SELECT agent, toDate(dtime, ${zone}) AS day, avg(bytes_sec) AS daily FROM db.httpget JOIN lines USING (agent)
        WHERE ${isSpeed} GROUP BY agent, day HAVING count() >= 5)
      GROUP BY agent HAVING count() >= 4)`,
  },
  {
    name: 'Lines: fibre and cable that very rarely attain 75 % of the advertised speed',
    unit: '%',
    published: '4 % (May 2024), 3 % (September 2024) of the fixed lines',
    source: 'ACCC, Measuring Broadband Australia, December 2024',
    basis: 'looked up',
    band: [1.5, 6],
    query: `SELECT 100 * countIf(x < 0.75) / count() AS value FROM (
      SELECT agent, quantileExact(0.95)(bytes_sec * 8 / sold) AS x FROM db.httpget JOIN lines USING (agent)
      WHERE ${isSpeed} AND technology IN ('fibre', 'cable') GROUP BY agent)`,
    isDeep: true,
  },
]
