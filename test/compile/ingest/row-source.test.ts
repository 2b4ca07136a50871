import { describe, expect, it } from 'vitest'
import { catalog } from '../../../src/catalog/catalog.ts'
import { cellNames, csvRows, jsonRows } from '../../../src/compile/ingest/row-source.ts'
import { shown } from '../shown.ts'
import { small } from './small-test.ts'

it('reads agent, time and the columns of the test', () => {
  expect(cellNames(small)).toEqual([
    'agent_id',
    'dtime',
    'target',
    'address',
    'rtt',
    'speed',
    'sequence',
    'ip_version',
    'successes',
  ])
})

describe('CSV', () => {
  const source = csvRows(small, ['dtime', 'target', 'base', 'agent_id', 'successes'])

  it('is read by position: a missing last cell, an extra cell and invalid UTF-8 are faults', () => {
    expect(shown(source.select))
      .toBe(`SELECT rowNumberInAllBlocks() + 1 AS row, toJSONString(map('dtime', i0, 'target', i1, 'base', i2, 'agent_id', i3, 'successes', ifNull(i4, ''))) AS raw, or(isNull(i4), isNotNull(surplus), NOT isValidUTF8(i1)) AS malformed,
  CAST(NULL, 'Nullable(String)') AS unexpected, '' AS nested,
  i3 AS c_agent_id,
  i0 AS c_dtime,
  i1 AS c_target,
  '' AS c_address,
  '' AS c_rtt,
  '' AS c_speed,
  '' AS c_sequence,
  '' AS c_ip_version,
  ifNull(i4, '') AS c_successes
FROM input('i0 String, i1 String, i2 String, i3 String, i4 Nullable(String), surplus Nullable(String)')`)
  })

  it('treats an empty cell as a missing value', () => {
    expect(source.format).toBe('CSV')
    expect(source.settings).toEqual({
      input_format_csv_allow_variable_number_of_columns: 1,
      input_format_csv_empty_as_default: 0,
      input_format_csv_skip_trailing_empty_lines: 1,
      format_csv_null_representation: '\u0001',
    })
  })

  it('checks the bytes of every text column that is present', () => {
    const text = shown(csvRows(small, ['target', 'rtt', 'address', 'dtime', 'agent_id']).select)
    expect(text).toContain('or(isNull(i4), isNotNull(surplus), NOT isValidUTF8(i0), NOT isValidUTF8(i2)) AS malformed')
  })
})

describe('JSON', () => {
  const { select, format, settings } = jsonRows(small)

  it('is read line by line', () => {
    expect(format).toBe('LineAsString')
    expect(settings).toEqual({})
  })

  it('reports a line that is not an object, repeats a name, has an unknown name, or nests', async () => {
    await expect(`${shown(select)}\n`).toMatchFileSnapshot('golden/ingest-json-rows.sql')
  })

  it('accepts the derived columns, so that a record can be sent back', () => {
    expect(shown(select)).toContain("'successes', 'base', 'ddate', 'unit_id']")
  })
})

it.each(catalog.tests.map((test) => [test.key, test] as const))(
  'reads every cell of %s, of CSV and of JSON',
  (_key, test) => {
    for (const { select } of [csvRows(test, cellNames(test)), jsonRows(test)]) {
      const text = shown(select)
      expect(cellNames(test).filter((name) => !text.includes(` AS c_${name}`))).toEqual([])
    }
  },
)
