import { panelProperties } from './panel-properties.ts'
import { hour, isSpeed, isWeekday, ofTechnology, overLines, type Property } from './property.ts'

/** The peak period of Measuring Broadband America. */
const isPeak = `${isWeekday} AND ${hour} BETWEEN 19 AND 22`
const isRoundTrip = "rtt_min > 500 AND rtt_max - rtt_min < 300000 AND NOT match(target, '^(newyork|frankfurt)')"

/** The median line's median speed in the peak period, relative to the advertised speed. */
const attained = (technology: string): string =>
  overLines(
    '100 * quantileExact(0.5)(bytes_sec * 8 / sold)',
    'httpget',
    `${isSpeed} AND ${isPeak} AND ${ofTechnology(technology)}`,
  )

/** The mean speed from 20 to 22 h on weekdays, relative to that from 0 to 6 h. */
const eveningSpeed = (technology: string): string =>
  `SELECT 100 * avg(x) AS value FROM (
     SELECT agent, avgIf(bytes_sec, ${isWeekday} AND ${hour} IN (20, 21)) / avgIf(bytes_sec, ${hour} < 6) AS x
     FROM db.httpget JOIN lines USING (agent) WHERE ${isSpeed} AND ${ofTechnology(technology)} GROUP BY agent)
   WHERE isFinite(x)`

const latency = (technology: string): string =>
  overLines('quantileExact(0.5)(rtt_avg) / 1000', 'latency', `${isRoundTrip} AND ${ofTechnology(technology)}`)

const loss = (technology: string): string =>
  `SELECT 100 * sum(failures) / sum(successes + failures) AS value FROM db.latency JOIN lines USING (agent)
   WHERE successes + failures >= 50 AND failures < 0.1 * (successes + failures) AND ${ofTechnology(technology)}`

export const properties: readonly Property[] = [
  {
    name: 'Fibre: median share of the advertised download speed, 19–23 h on weekdays',
    unit: '%',
    published: 'fibre 114 % (2011); 11 large ISPs: mostly 100 % or more (2020); Australian fixed lines 100.9 % (2024)',
    source: 'FCC, Measuring Broadband America, 2011 and 11th report; ACCC, Measuring Broadband Australia, 2024',
    basis: 'looked up',
    band: [95, 115],
    query: attained('fibre'),
  },
  {
    name: 'Cable: median share of the advertised download speed, 19–23 h on weekdays',
    unit: '%',
    published: '93 % (2011), 114 % (2020); United Kingdom, up to 120 Mbit/s: 108.8 Mbit/s = 91 % (2013)',
    source: 'FCC, Measuring Broadband America, 2011 and 11th report; Ofcom, fixed broadband performance, November 2013',
    basis: 'looked up',
    band: [85, 115],
    query: attained('cable'),
  },
  {
    name: 'VDSL: median share of the advertised download speed, 19–23 h on weekdays',
    unit: '%',
    published: 'up to 76 Mbit/s: 64.0 Mbit/s = 84 % (2013); DSL in the United States 82 % (2011)',
    source: 'Ofcom, fixed broadband performance, November 2013; FCC, Measuring Broadband America, 2011',
    basis: 'looked up',
    band: [70, 90],
    query: attained('vdsl'),
  },
  {
    name: 'ADSL: median share of the advertised download speed, 19–23 h on weekdays',
    unit: '%',
    published: 'all British lines, mostly ADSL: 58 % (2009), 45 % (2010)',
    source: 'Ofcom, UK broadband speeds, 2009 and 2010',
    basis: 'looked up',
    band: [40, 65],
    query: attained('adsl'),
    isDeep: true,
  },
  {
    name: 'Fixed wireless: median share of the advertised download speed, 19–23 h on weekdays',
    unit: '%',
    published: '70.8 % in busy hours, 81.2 % over the day (February 2021)',
    source: 'ACCC, Measuring Broadband Australia, 13th report, 2021',
    basis: 'looked up',
    band: [60, 80],
    query: attained('fixed wireless'),
    isDeep: true,
  },
  {
    name: 'LEO satellite: median download speed',
    unit: 'Mbit/s',
    published: 'Starlink in the United Kingdom: 108 (Q2 2021), 122 (Q4 2021), 100 (Q2 2023)',
    source: 'Ookla, Starlink performance, 2021 to 2023',
    basis: 'looked up',
    band: [85, 130],
    query: overLines(
      'quantileExact(0.5)(bytes_sec) * 8 / 1e6',
      'httpget',
      `${isSpeed} AND ${ofTechnology('satellite')}`,
    ),
    isDeep: true,
  },
  {
    name: 'Fibre: share of the advertised speed that 80 % of the lines have in 80 % of the peak period',
    unit: '%',
    published: 'most cable and fibre ISPs above 90 %',
    source: 'FCC, Measuring Broadband America, 9th to 11th report, chart 6',
    basis: 'recalled',
    band: [85, 110],
    query: overLines(
      '100 * quantileExact(0.2)(bytes_sec * 8 / sold)',
      'httpget',
      `${isSpeed} AND ${isPeak} AND ${ofTechnology('fibre')}`,
      0.2,
    ),
  },
  {
    name: 'Cable: speed at 20–22 h on weekdays, relative to the night',
    unit: '%',
    published: 'up to 120 Mbit/s: 86 % of the maximum (2013)',
    source: 'Ofcom, fixed broadband performance, November 2013',
    basis: 'looked up',
    band: [80, 95],
    query: eveningSpeed('cable'),
  },
  {
    name: 'Fibre: speed at 20–22 h on weekdays, relative to the night',
    unit: '%',
    published: 'minimum of the day 96 to 98 % of the maximum (2019)',
    source: 'Ofcom, UK home broadband performance, November 2019',
    basis: 'looked up',
    band: [95, 100],
    query: eveningSpeed('fibre'),
  },
  {
    name: 'Fibre: median latency to the nearest servers',
    unit: 'ms',
    published: 'Verizon Fios 11.6 to 14.7 ms (2016), 9 ms (about 2019); in the smaller United Kingdom less',
    source: 'FCC, Measuring Broadband America, 2016; Ookla, about 2019',
    basis: 'looked up',
    band: [5, 15],
    query: latency('fibre'),
  },
  {
    name: 'Cable: median latency to the nearest servers',
    unit: 'ms',
    published: '32 ms (United States, about 2014); United Kingdom 14 to 20 ms (recalled)',
    source: 'FCC, Measuring Broadband America, about 2014; Ofcom, UK home broadband performance',
    basis: 'looked up',
    band: [12, 32],
    query: latency('cable'),
  },
  {
    name: 'VDSL: median latency to the nearest servers',
    unit: 'ms',
    published: 'all fixed lines of the United Kingdom, mostly VDSL: 15 ms (Q2 2021)',
    source: 'Ookla, 2021',
    basis: 'looked up',
    band: [9, 20],
    query: latency('vdsl'),
  },
  {
    name: 'ADSL: median latency to the nearest servers',
    unit: 'ms',
    published:
      'DSL 49 ms (about 2014), Verizon DSL 37 to 40 ms (2016); ADSL in the United Kingdom 24 to 30 ms (recalled)',
    source: 'FCC, Measuring Broadband America, about 2014 and 2016; Ofcom, UK home broadband performance',
    basis: 'looked up',
    band: [20, 50],
    query: latency('adsl'),
  },
  {
    name: 'LEO satellite: median latency to the nearest servers',
    unit: 'ms',
    published: 'Starlink in the United Kingdom 37 ms (2021), in the United States 45 ms (2025)',
    source: 'Ookla, Starlink performance, 2021 and 2025',
    basis: 'looked up',
    band: [30, 48],
    query: latency('satellite'),
    isDeep: true,
  },
  {
    name: 'London to New York over fibre: median round trip',
    unit: 'ms',
    published:
      'New York–Paris 78 ms (2011), by distance 74 ms from London; between data centres about 70 ms (recalled)',
    source: 'WonderProxy, pings between cities, 2011; WonderNetwork',
    basis: 'looked up',
    band: [66, 84],
    query: `SELECT quantileExact(0.5)(rtt_avg) / 1000 AS value FROM db.ping JOIN lines USING (agent)
      WHERE target = 'www.example.org' AND region = 'London' AND technology = 'fibre' AND rtt_min > 500`,
  },
  {
    name: 'Fibre: lost packets',
    unit: '%',
    published: 'nearly all fibre lines below 0.4 % in the peak period; means of 0.05 to 0.2 %',
    source: 'FCC, Measuring Broadband America, 9th report, chart 8',
    basis: 'recalled',
    band: [0.02, 0.2],
    query: loss('fibre'),
  },
  {
    name: 'LEO satellite: lost packets',
    unit: '%',
    published: 'Starlink 0.4 to 2 % over days, bursts at handovers',
    source: 'Kassem et al., A browser-side view of Starlink connectivity, IMC 2022; other studies',
    basis: 'recalled',
    band: [0.4, 2],
    query: loss('satellite'),
    isDeep: true,
  },
  {
    name: 'Cable: median downstream jitter',
    unit: 'ms',
    published: '1 to 5 ms',
    source: 'Ofcom, UK home broadband performance; Ookla',
    basis: 'recalled',
    band: [1, 5],
    query: overLines(
      'quantileExact(0.5)(jitter_down) / 1000',
      'jitter',
      `jitter_down BETWEEN 0 AND 10e6 AND ${ofTechnology('cable')}`,
    ),
  },
  ...panelProperties,
]
