import { statement, sql, type Statement } from '../../src/base/sql.ts'

/**
 * Computes the same statistics of the same rows as "daily by ISP", but without metadata and local time. It groups by UTC day,
 * and splits by a column of the table that has about as many values.
 */
export const plainStatement = (from: string, to: string): Statement => {
  const { params } = statement(sql`SELECT 1`)
  return {
    params,
    text: `
      SELECT day, target, mean * 8 / 1e6, deviation * 8 / 1e6, results, agents, levels
      FROM (
        SELECT toDate(dtime) AS day, target, avg(bytes_sec) AS mean, stddevPopStable(bytes_sec) AS deviation,
          count() AS results, uniqExact(agent) AS agents, min(bytes_sec), max(bytes_sec),
          quantilesExactInclusive(0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 0.8, 0.9, 0.95, 0.99)(bytes_sec) AS levels
        FROM broadgauge.httpget
        WHERE panel = 1 AND toDate(dtime) BETWEEN '${from}' AND '${to}' AND successes >= 1
        GROUP BY day, target
      )
      ORDER BY target, day`,
  }
}
