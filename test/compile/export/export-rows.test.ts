import { describe, expect, it } from 'vitest'
import { sql } from '../../../src/base/sql.ts'
import { exportFormats, type ExportFormat } from '../../../src/catalog/export-formats.ts'
import type { Cell } from '../../../src/compile/metric/raw-points.ts'
import {
  countRows,
  fileCell,
  metricFileName,
  testFileName,
  writeFile,
} from '../../../src/compile/export/export-file.ts'
import { metricExportRows, testExportRows } from '../../../src/compile/export/export-rows.ts'
import { planOf, secondOf, testOf } from '../plans.ts'
import { conditionsOf, shown } from '../shown.ts'

const formatOf = (key: string): ExportFormat => {
  const format = exportFormats.find((one) => one.key === key)
  if (format === undefined) throw new Error(key)
  return format
}
/** A cell format that shows in the SQL text how each cell is interpreted. */
const marked: Cell = (content, value) =>
  sql`${{ text: sql`TEXT`, number: sql`NUMBER`, label: sql`LABEL`, list: sql`LIST` }[content]}(${value})`
const columnsOf = (text: string): string[] => (/^SELECT\n {2}([^]*?)\nFROM \(/.exec(text)?.[1] ?? '').split(',\n  ')

const days = { first: Temporal.PlainDate.from('2026-01-02'), last: Temporal.PlainDate.from('2026-01-03') }
const storedBefore = Temporal.Instant.from('2026-02-01T00:00:00Z')

describe('rows of a file of points', () => {
  const rows = (asked: Parameters<typeof planOf>[0]): string => shown(metricExportRows('bg', planOf(asked), marked))

  it('have the label, the statistics, a column for each percentile, the splits, and what qualifies a point last', () => {
    expect(columnsOf(rows({ splits: ['isp', 'threads', 'custom.region'] }))).toEqual([
      'LABEL(dtime) AS {dtime:Identifier}',
      'NUMBER(metricValue) AS {metricValue:Identifier}',
      'NUMBER(stdDev) AS {stdDev:Identifier}',
      'LABEL(sampleCount) AS {sampleCount:Identifier}',
      'LABEL(agentCount) AS {agentCount:Identifier}',
      'LABEL(unitCount) AS {unitCount:Identifier}',
      'NUMBER(ci90) AS {ci90:Identifier}',
      'NUMBER(ci95) AS {ci95:Identifier}',
      'NUMBER(ci99) AS {ci99:Identifier}',
      'NUMBER(min) AS {min:Identifier}',
      'NUMBER(max) AS {max:Identifier}',
      'NUMBER(median) AS {median:Identifier}',
      ...['1', '5', '10', '20', '25', '50', '75', '80', '90', '95', '99'].map(
        (key, index) => `NUMBER(percentiles[${index + 1}]) AS {percentile_${key}:Identifier}`,
      ),
      'TEXT(shown_split1) AS {isp:Identifier}',
      'LABEL(shown_split2) AS {threads:Identifier}',
      'TEXT(shown_split3) AS {custom.region:Identifier}',
      'LABEL(if(empty(caution), NULL, toJSONString(caution))) AS {caution:Identifier}',
    ])
  })

  it('have whether the point is partial after the splits', () => {
    const whole = { from: 0, to: 86_399 }
    const columns = columnsOf(rows({ splits: ['isp', 'threads'], whole }))
    expect(columns.slice(-4)).toEqual([
      'TEXT(shown_split1) AS {isp:Identifier}',
      'LABEL(shown_split2) AS {threads:Identifier}',
      'LABEL(partial) AS {partial:Identifier}',
      'LABEL(if(empty(caution), NULL, toJSONString(caution))) AS {caution:Identifier}',
    ])
    expect(columns.toSpliced(-2, 1)).toEqual(columnsOf(rows({ splits: ['isp', 'threads'] })))
  })

  it('have the number of results without a plan after the splits, if values are relative to it', () => {
    const columns = columnsOf(rows({ splits: ['isp'], relativeTo: 'plan' }))
    expect(columns.slice(-3)).toEqual([
      'TEXT(shown_split1) AS {isp:Identifier}',
      'LABEL(resultsWithoutPlan) AS {resultsWithoutPlan:Identifier}',
      'LABEL(if(empty(caution), NULL, toJSONString(caution))) AS {caution:Identifier}',
    ])
    expect(columns.toSpliced(-2, 1)).toEqual(columnsOf(rows({ splits: ['isp'] })))
  })

  it('have a column for each named percentile, and the lists of a histogram as JSON', () => {
    const asked = { percentileLevels: [2.5, 99.9], histogram: { edges: [80, 95] }, fields: ['percentiles'] } as const
    expect(columnsOf(rows(asked))).toEqual([
      'LABEL(dtime) AS {dtime:Identifier}',
      'NUMBER(percentiles[1]) AS {percentile_2.5:Identifier}',
      'NUMBER(percentiles[2]) AS {percentile_99.9:Identifier}',
      'LIST(histogram_edges) AS {histogram_edges:Identifier}',
      'LIST(histogram_counts) AS {histogram_counts:Identifier}',
      'LABEL(histogram_below) AS {histogram_below:Identifier}',
      'LABEL(histogram_above) AS {histogram_above:Identifier}',
    ])
  })

  it('have a numeric label if the aggregation has one, and no label for a total', () => {
    expect(columnsOf(rows({ aggregation: 'day_of_week' }))[0]).toBe(
      'LABEL(aggregatedNumber) AS {aggregatedNumber:Identifier}',
    )
    expect(columnsOf(rows({ aggregation: 'total' }))[0]).toBe('NUMBER(metricValue) AS {metricValue:Identifier}')
  })

  it('are all rows, in the order of the response', () => {
    expect(rows({ splits: ['isp'] })).not.toContain('LIMIT')
    expect(rows({ splits: ['isp'] })).toMatch(/\nORDER BY shown_split1 ASC NULLS LAST, bucket\n\)$/)
  })

  it('are the results themselves for a raw request', () => {
    expect(columnsOf(rows({ aggregation: null, splits: ['base'] }))).toEqual([
      'NUMBER(column1) AS {metricValue:Identifier}',
      'LABEL(column2) AS {dtime:Identifier}',
      'TEXT(column3) AS {agent:Identifier}',
      'TEXT(column4) AS {unit:Identifier}',
      'TEXT(column5) AS {base:Identifier}',
    ])
  })
})

describe('rows of a file of records', () => {
  const text = shown(
    testExportRows('bg', { test: testOf('dns'), panels: [3, 7], erased: [9], days, filters: [] }, storedBefore, marked),
  )

  it('have the columns of the records, with text cells marked', () => {
    expect(columnsOf(text)).toEqual([
      'TEXT(base) AS {base:Identifier}',
      'LABEL(ddate) AS {ddate:Identifier}',
      'LABEL(dtime) AS {dtime:Identifier}',
      'TEXT(agent_id) AS {agent_id:Identifier}',
      'LABEL(unit_id) AS {unit_id:Identifier}',
      'TEXT(nameserver) AS {nameserver:Identifier}',
      'TEXT(lookup_host) AS {lookup_host:Identifier}',
      'TEXT(response_ip) AS {response_ip:Identifier}',
      'LABEL(rtt) AS {rtt:Identifier}',
      'LABEL(successes) AS {successes:Identifier}',
      'LABEL(failures) AS {failures:Identifier}',
    ])
  })

  it('are limited to what was stored at the time of the request', () => {
    expect(conditionsOf(text)).toEqual([
      'panel IN {[3,7]:Array(UInt32)}',
      'agent NOT IN {[9]:Array(UInt32)}',
      'toDate(dtime) >= {"2026-01-02":Date}',
      'toDate(dtime) <= {"2026-01-03":Date}',
      `ingested_at < {"2026-02-01 00:00:00.000":DateTime64(3, 'UTC')}`,
    ])
  })
})

describe('a cell', () => {
  const cell = (format: string, content: 'text' | 'number' | 'label'): string =>
    shown(fileCell(formatOf(format))(content, sql`v`))
  const guarded = String.raw`match(toValidUTF8(v), '^([\\t\\r]|[\\p{Z}\\p{Cc}\\p{Cf}]*[=+\\-@＝＋－＠])')`
  const isPlain = 'ascii(toValidUTF8(v)) BETWEEN 65 AND 126 OR ascii(toValidUTF8(v)) BETWEEN 48 AND 57'
  const formula = String.raw`multiIf(${isPlain}, toValidUTF8(v), ${guarded}, concat('\'', toValidUTF8(v)), toValidUTF8(v))`

  it.each(['csv', 'csv.gz'])('of %s is valid UTF-8, and no formula', (format) => {
    expect(cell(format, 'text')).toBe(formula)
  })

  it('of parquet is valid UTF-8 and otherwise unchanged', () => {
    expect(cell('parquet', 'text')).toBe('toValidUTF8(v)')
  })

  it.each(['csv', 'csv.gz', 'parquet'])('of %s is null for a number that is not finite', (format) => {
    expect(cell(format, 'number')).toBe('if(isFinite(v), v, NULL)')
    expect(cell(format, 'label')).toBe('v')
  })
})

describe('a file', () => {
  it.each([
    ['csv', 'CSVWithNames', 'none'],
    ['csv.gz', 'CSVWithNames', 'gzip'],
    ['parquet', 'Parquet', 'none'],
  ])('of %s is written by ClickHouse as %s, compressed by %s', (key, format, compression) => {
    const place = `broadgauge_exports, filename = {"e1/2":String}, format = '${format}', compression_method = '${compression}'`
    expect(shown(writeFile('e1/2', formatOf(key), sql`SELECT 1`))).toBe(`INSERT INTO FUNCTION s3(${place})\nSELECT 1`)
    expect(shown(countRows('e1/2', formatOf(key)))).toBe(
      `SELECT count() AS rows FROM s3(${place}, structure = 'any String')`,
    )
  })

  it('is named after metric, aggregation and days', () => {
    expect(metricFileName(planOf({ aggregation: 'weekly' }), formatOf('csv'))).toBe(
      'httpget_weekly_2026-01-01_2026-01-31.csv',
    )
    const to = secondOf('2026-02-01T00:00:00Z')
    expect(metricFileName(planOf({ aggregation: null, to }), formatOf('csv.gz'))).toBe(
      'httpget_raw_2026-01-01_2026-02-01.csv.gz',
    )
  })

  it('is named after test and days', () => {
    expect(testFileName({ test: testOf('dns'), days }, formatOf('parquet'))).toBe(
      'dns_results_2026-01-02_2026-01-03.parquet',
    )
  })
})
