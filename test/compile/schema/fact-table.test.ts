import { describe, expect, it } from 'vitest'
import { catalog } from '../../../src/catalog/catalog.ts'
import { microseconds, text } from '../../../src/catalog/columns.ts'
import type { TestDefinition } from '../../../src/catalog/define-test.ts'
import { hourlyBlocks } from '../../../src/catalog/schedules.ts'
import {
  addColumn,
  createDistributedTable,
  createFactTable,
  storedColumns,
} from '../../../src/compile/schema/fact-table.ts'
import { shown } from '../shown.ts'

const small: TestDefinition = {
  key: 'small',
  name: 'Small',
  description: 'A small test.',
  family: 'unit',
  kinds: ['whitebox'],
  schedule: hourlyBlocks,
  identity: ['target'],
  columns: [text('target', "The server's name.", { required: true }), microseconds('rtt', 'Time to the answer.')],
}

it('creates the table of a test', () => {
  expect(shown(createFactTable(small, 'bg', 'single', null))).toBe(`CREATE TABLE IF NOT EXISTS bg.small (
  panel UInt32 COMMENT 'Number of the panel the result was ingested under.' CODEC(ZSTD(1)),
  agent UInt32 COMMENT 'Number of the agent.' CODEC(Delta, ZSTD(1)),
  dtime DateTime64(3, 'UTC') COMMENT 'Time the test ended, UTC, to the millisecond.' CODEC(Delta, ZSTD(1)),
  target LowCardinality(String) COMMENT 'The server\\'s name.' CODEC(ZSTD(1)),
  rtt Nullable(Int64) COMMENT 'Time to the answer. Unit: µs.' CODEC(ZSTD(1)),
  ingested_at DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'Time the row was stored. Exports pin what they read by it.' CODEC(Delta, ZSTD(1)),
  INDEX ingested_at_range ingested_at TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(dtime)
ORDER BY (panel, toDate(dtime), agent, dtime)
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1
COMMENT 'A small test.'`)
})

const ends = (...asked: [layout: 'single' | 'shard' | 'replicated-shard', days: number | null]): string => {
  const created = shown(createFactTable(small, 'bg', ...asked))
  return `${created.split(' (')[0]} … ${created.slice(created.indexOf('\nENGINE') + 1)}`
}

it('keeps results for the given days', () => {
  expect(ends('single', 90)).toContain(
    'ORDER BY (panel, toDate(dtime), agent, dtime)\nTTL toDateTime(dtime) + toIntervalDay(90)\nSETTINGS ',
  )
})

it('stores the rows of a shard in its own table', () => {
  expect(ends('shard', null)).toMatch(/^CREATE TABLE IF NOT EXISTS bg\.small_shard … ENGINE = MergeTree\n/)
  expect(ends('shard', null)).toContain('SETTINGS non_replicated_deduplication_window = 10000,')
})

it('replicates if there is a Keeper', () => {
  expect(ends('replicated-shard', null)).toContain(
    "bg.small_shard … ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/bg/small_shard', '{replica}')\n",
  )
  expect(ends('replicated-shard', null)).toContain('SETTINGS replicated_deduplication_window = 10000,')
})

it('distributes results over the shards by agent', () => {
  expect(shown(createDistributedTable(small, 'bg', 'wide'))).toBe(`CREATE TABLE IF NOT EXISTS bg.small
AS bg.small_shard
ENGINE = Distributed('wide', 'bg', 'small_shard', agent)`)
})

it('adds a column, with its comment and its default', () => {
  const columns = storedColumns(small)
  const added = (name: string): string => {
    const column = columns.find((one) => one.name === name)
    return column === undefined ? '' : shown(addColumn('bg', 'small', column))
  }
  expect(added('rtt')).toBe(
    "ALTER TABLE bg.small ADD COLUMN IF NOT EXISTS rtt Nullable(Int64) COMMENT 'Time to the answer. Unit: µs.' CODEC(ZSTD(1))",
  )
  expect(added('ingested_at')).toContain(" ingested_at DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT ")
})

const types = {
  text: ['LowCardinality(String)', 'LowCardinality(Nullable(String))'],
  uint8: ['UInt8', 'Nullable(UInt8)'],
  uint16: ['UInt16', 'Nullable(UInt16)'],
  uint32: ['UInt32', 'Nullable(UInt32)'],
  int64: ['Int64', 'Nullable(Int64)'],
}

describe.each(catalog.tests.map((test) => [test.key, test] as const))('%s', (_key, test) => {
  it('stores panel, agent and time, its own columns by their types, and the ingest time', () => {
    const stored = storedColumns(test).map(({ name, type }) => [name, shown(type)])
    expect(stored).toEqual([
      ['panel', 'UInt32'],
      ['agent', 'UInt32'],
      ['dtime', "DateTime64(3, 'UTC')"],
      ...test.columns.map(({ name, type, required }) => [name, types[type][required ? 0 : 1]]),
      ['ingested_at', "DateTime64(3, 'UTC')"],
    ])
  })
})
