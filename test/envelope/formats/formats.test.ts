import { tableFromIPC, Type } from 'apache-arrow'
import { describe, expect, it } from 'vitest'
import type { FlatColumn } from '../../../src/compile/export/flat-columns.ts'
import { arrowStream } from '../../../src/envelope/formats/arrow-stream.ts'
import { flatbuffer } from '../../../src/envelope/formats/flatbuffer.ts'
import { csvRows, ndjsonRows } from '../../../src/envelope/formats/text-rows.ts'

const columns: readonly FlatColumn[] = [
  { id: 'dtime', kind: 'time', index: 1 },
  { id: 'metricValue', kind: 'number', index: 2 },
  { id: 'sampleCount', kind: 'count', index: 3 },
  { id: 'percentile_99.9', kind: 'number', index: 4, member: 1 },
  { id: 'percentileIntervals_50', kind: 'list', index: 5, member: 0, isNullIfEmpty: true },
  { id: 'comparison_verdict', kind: 'label', index: 6, member: 'verdict' },
  { id: 'isp', kind: 'text', index: 0 },
  { id: 'partial', kind: 'flag', index: 7 },
  { id: 'caution', kind: 'list', index: 8, isNullIfEmpty: true },
]
const rows = [
  ['=1+1', '2026-01-05', 0.1, 7, [1, 2.5], [[1, null]], { verdict: 'higher' }, true, ['one_agent', 'dominated']],
  ['Ünï "x", y', '2026-01-05 20:00:00', null, 0, null, [], null, false, []],
]

describe('points as CSV', () => {
  it('have quoted texts, empty cells for null, CRLF, and an apostrophe before a formula from outside', async () => {
    expect(await csvRows(columns, rows)).toBe(
      [
        '"dtime","metricValue","sampleCount","percentile_99.9","percentileIntervals_50","comparison_verdict","isp","partial","caution"',
        `"2026-01-05",0.1,7,2.5,"[1,null]","higher","'=1+1",true,"[""one_agent"",""dominated""]"`,
        '"2026-01-05 20:00:00",,0,,,,"Ünï ""x"", y",false,',
        '',
      ].join('\r\n'),
    )
  })

  it('have a header also without points', async () => {
    expect(await csvRows([{ id: 'isp', kind: 'text', index: 0 }], [])).toBe('"isp"\r\n')
  })
})

describe('points as NDJSON', () => {
  it('have one object on each line, with lists as lists', async () => {
    const lines = (await ndjsonRows(columns, rows)).split('\n')
    expect(lines).toHaveLength(3)
    expect(lines.slice(0, 2).map((line) => JSON.parse(line))).toEqual([
      {
        dtime: '2026-01-05',
        metricValue: 0.1,
        sampleCount: 7,
        'percentile_99.9': 2.5,
        percentileIntervals_50: [1, null],
        comparison_verdict: 'higher',
        isp: '=1+1',
        partial: true,
        caution: ['one_agent', 'dominated'],
      },
      {
        dtime: '2026-01-05 20:00:00',
        metricValue: null,
        sampleCount: 0,
        'percentile_99.9': null,
        percentileIntervals_50: null,
        comparison_verdict: null,
        isp: 'Ünï "x", y',
        partial: false,
        caution: null,
      },
    ])
    expect(lines[2]).toBe('')
  })
})

describe('points as Arrow', () => {
  it('are read by another implementation with the same values, types and metadata', async () => {
    const table = tableFromIPC(await arrowStream(columns, rows, { 'broadgauge.meta': '{"ü":1}' }))
    expect(Object.fromEntries(table.schema.metadata)).toEqual({ 'broadgauge.meta': '{"ü":1}' })
    expect(table.schema.fields.map(({ name, type, nullable }) => [name, String(type), nullable])).toEqual([
      ['dtime', 'Timestamp<SECOND>', true],
      ['metricValue', 'Float64', true],
      ['sampleCount', 'Float64', true],
      ['percentile_99.9', 'Float64', true],
      ['percentileIntervals_50', 'Utf8', true],
      ['comparison_verdict', 'Utf8', true],
      ['isp', 'Utf8', true],
      ['partial', 'Bool', true],
      ['caution', 'Utf8', true],
    ])
    expect(table.toArray().map((row) => Object.values(row?.toJSON() ?? {}))).toEqual([
      [Date.UTC(2026, 0, 5), 0.1, 7, 2.5, '[1,null]', 'higher', '=1+1', true, '["one_agent","dominated"]'],
      [Date.UTC(2026, 0, 5, 20), null, 0, null, null, null, 'Ünï "x", y', false, null],
    ])
  })

  it.each([0, 1, 7, 8, 9, 2_000, 2_001, 4_500])('are read completely if there are %d', async (count) => {
    const many = Array.from({ length: count }, (_, index) => [
      `isp ${index}`,
      '2026-01-05',
      index % 3 === 0 ? null : index,
      index,
      null,
      [],
      null,
      index % 2 === 0,
      [],
    ])
    const bytes = await arrowStream(columns, many, {})
    const table = tableFromIPC(bytes)
    expect(table.numRows).toBe(count)
    expect(table.getChild('metricValue')?.toJSON() ?? []).toEqual(many.map((row) => row[2]))
    expect(table.getChild('isp')?.toJSON() ?? []).toEqual(many.map((row) => row[0]))
    expect(table.getChild('partial')?.toJSON() ?? []).toEqual(many.map((row) => row[7]))
    expect(bytes.slice(-8)).toEqual(new Uint8Array([255, 255, 255, 255, 0, 0, 0, 0]))
    expect(table.schema.fields[0]?.type.typeId).toBe(Type.Timestamp)
  })

  it('begins every part at a multiple of 8 bytes', () => {
    for (let length = 0; length < 20; length += 1) expect(flatbuffer([{ text: 'x'.repeat(length) }]).length % 8).toBe(0)
  })
})
