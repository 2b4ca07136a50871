import { isSpeed, type Property } from './property.ts'

/**
 * The intraclass correlation ICC(1) of `x` in groups `g`: the estimator of a one-way random-effects analysis of variance.
 * `n0` is the size that equal groups would have. The design effect is the factor by which clustering multiplies the
 * variance of a mean, 1 + (m - 1) * ICC, for the mean group size m.
 */
const analysis = (rows: string, value: 'icc' | 'design_effect'): string =>
  `SELECT count() AS groups, sum(n) AS total, (total - sum(n * n) / total) / (groups - 1) AS n0,
     (sum(n * mean * mean) - total * pow(sum(n * mean) / total, 2)) / (groups - 1) AS between,
     sum((n - 1) * variance) / (total - groups) AS within, (between - within) / (between + (n0 - 1) * within) AS icc,
     1 + (total / groups - 1) * icc AS design_effect, ${value} AS value
   FROM (SELECT g, toFloat64(count()) AS n, avg(x) AS mean, if(n > 1, varSamp(x), 0) AS variance FROM (${rows}) GROUP BY g)`

const speeds = (where = 'true'): string =>
  `SELECT agent AS g, bytes_sec * 8 / 1e6 AS x FROM db.httpget JOIN lines USING (agent) WHERE ${isSpeed} AND ${where}`

/** Mbit/s of each line by its ISP and package. */
const means = `SELECT (isp, package) AS g, avg(bytes_sec) * 8 / 1e6 AS x FROM db.httpget JOIN lines USING (agent)
  WHERE ${isSpeed} GROUP BY agent, isp, package`

const ofPackage = (name: string): string => `package = '${name}'`
/** The last days of the panel; its schedule has six tests with several connections per day. */
const ofLastDays = (days: number): string => `dtime > (SELECT max(dtime) FROM db.httpget) - INTERVAL ${days} DAY`

const icc = (rows: string): string => analysis(rows, 'icc')
const designEffect = (rows: string): string => analysis(rows, 'design_effect')

type Clustering = Omit<Property, 'published' | 'source' | 'basis'> & { readonly reason: string }

/** No publication has these figures, so each band has a reason. */
export const clusterings: readonly Clustering[] = [
  {
    name: 'ICC of the speed by agent, all lines',
    unit: '',
    reason:
      'Packages from 17 to 1,000 Mbit/s have a deviation of about 300 Mbit/s, the results of a line one of 3 to 15 % of its speed, 15 to 60 Mbit/s.',
    band: [0.9, 0.998],
    query: icc(speeds()),
    isDeep: true,
  },
  {
    name: 'ICC of the speed by agent, Acme Broadband Fibre 100',
    unit: '',
    reason:
      'Equal lines; 3 % of them at half the speed give a variance between lines of 0.03 × 0.5² = 0.0075, and daily variation of 3 to 10 % gives 0.001 to 0.01 within: 0.43 to 0.89.',
    band: [0.4, 0.9],
    query: icc(speeds(ofPackage('Fibre 100'))),
    isDeep: true,
  },
  {
    name: 'ICC of the speed by agent, Borough Cable Cable 250',
    unit: '',
    reason: 'As fibre, but the evening adds a deviation of 5 to 8 % within a line.',
    band: [0.3, 0.8],
    query: icc(speeds(ofPackage('Cable 250'))),
    isDeep: true,
  },
  {
    name: 'ICC of the speed by agent, Copperline Copper Plus 76',
    unit: '',
    reason:
      'The length of the copper gives a deviation between lines of 13 to 20 % of the advertised speed (variance 0.017 to 0.04); within a line 3 to 8 % (0.001 to 0.006).',
    band: [0.74, 0.98],
    query: icc(speeds(ofPackage('Copper Plus 76'))),
    isDeep: true,
  },
  {
    name: "ICC of the lines' means by ISP and package",
    unit: '',
    reason: 'The deviation between lines of a package is 10 to 20 % of its speed; between packages, 300 Mbit/s.',
    band: [0.9, 0.995],
    query: icc(means),
  },
  {
    name: 'Design effect of one day, all lines',
    unit: 'times',
    reason: 'Up to 6 results per line and day, a correlation of at least 0.9; heavy testers raise the mean.',
    band: [4.5, 7.5],
    query: designEffect(speeds(ofLastDays(1))),
  },
  {
    name: 'Design effect of seven days, all lines',
    unit: 'times',
    reason: 'Up to 42 results, 5 to 15 % missing.',
    band: [32, 50],
    query: designEffect(speeds(ofLastDays(7))),
    isDeep: true,
  },
  {
    name: 'Design effect of 30 days, all lines',
    unit: 'times',
    reason: 'Up to 180 results, 5 to 15 % missing: the lines, not the results, are the sample.',
    band: [137, 210],
    query: designEffect(speeds(ofLastDays(30))),
    isDeep: true,
  },
  {
    name: 'Design effect of 30 days, Acme Broadband Fibre 100',
    unit: 'times',
    reason: 'Up to 180 results and a correlation of 0.4 to 0.9.',
    band: [60, 190],
    query: designEffect(speeds(`${ofPackage('Fibre 100')} AND ${ofLastDays(30)}`)),
    isDeep: true,
  },
]
