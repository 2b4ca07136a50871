/**
 * A property of a synthetic panel and the figure that a publication gives for real lines. The band is derived from the
 * publication or from the stated reason, never from the generator.
 */
export type Property = {
  readonly name: string
  readonly unit: string
  readonly published: string
  readonly source: string
  /** `looked up`: read in a copy of the source or in a report about it. */
  readonly basis: 'looked up' | 'recalled' | 'reasoned'
  readonly band: readonly [low: number, high: number]
  /** ClickHouse SQL over the tables `db.*` and `lines` (agent, technology, region, isp, package, sold); one `value`. */
  readonly query: string
  /** True if a panel of a few hundred agents and a few days has too few results for the band. */
  readonly isDeep?: boolean
}

export const zone = "'Europe/London'"
export const hour = `toHour(dtime, ${zone})`
export const isWeekday = `toDayOfWeek(dtime, 0, ${zone}) <= 5`
/** The result of a test with several connections that the prefilter keeps. */
export const isSpeed = 'threads = 8 AND bytes_sec BETWEEN 1 AND 1.25e9'

/** The quantile, over lines, of an aggregate of each line's results. */
export const overLines = (aggregate: string, test: string, where: string, quantile = 0.5): string =>
  `SELECT quantileExact(${quantile})(x) AS value FROM (
     SELECT agent, ${aggregate} AS x FROM db.${test} JOIN lines USING (agent) WHERE ${where} GROUP BY agent)`

export const ofTechnology = (technology: string): string => `technology = '${technology}'`
