import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { statement } from './src/base/sql.ts'
import { catalog } from './src/catalog/catalog.ts'
import { csvRows, jsonRows } from './src/compile/ingest/row-source.ts'
import * as s from './src/compile/ingest/store-rows.ts'
import { openClickHouse } from './src/engine/clickhouse/clickhouse.ts'
import { clickHouseOptions, readSettings } from './src/serve/config.ts'
const pid = /\d+/.exec(readFileSync('/tmp/wt/ingest/.devstack/bench/run/clickhouse-1.pid', 'utf8'))![0]
const cpu = () => {
  const f = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(f[11]) + Number(f[12])) * 10
}
const ch = openClickHouse(clickHouseOptions(readSettings(process.env), 'INGEST'))
const node = ch.nodes[0]!
const test = catalog.tests.find((t) => t.key === 'webget')!
const j = { test, database: 'broadgauge', panels: [1], nowMs: Date.now() }
const src = jsonRows(test)
const row = JSON.stringify({
  agent_id: 'wb-000001',
  dtime: '2026-01-01 00:00:00',
  ...Object.fromEntries(test.columns.map((c) => [c.name, c.type === 'text' ? 'x' : 1])),
})

import { readRows, flawsOf, isFlawed, stored } from './src/compile/ingest/judge-rows.ts'
import { sql, join, identifier, type Sql } from './src/base/sql.ts'
const run = async (name: string, q: Sql, settings: Record<string, unknown> = {}, n = 20) => {
  const st = statement(q)
  const once = async () => {
    const r = await node.exec({
      query: st.text,
      query_params: st.params as never,
      values: Readable.from([Buffer.from(row)], { objectMode: false }),
      clickhouse_settings: {
        async_insert: 0,
        insert_deduplication_token: String(Math.random()),
        max_insert_threads: '1',
        min_insert_block_size_rows: '1000000000',
        ...settings,
      } as never,
    })
    for await (const _ of r.stream);
  }
  for (let i = 0; i < 5; i++) await once()
  const c = cpu()
  for (let i = 0; i < n; i++) await once()
  console.log(name, ((cpu() - c) / n).toFixed(1))
}
const names = [sql`panel`, sql`agent`, sql`dtime`, ...test.columns.map(({ name }) => identifier(name))]
const values = [sql`found.2`, sql`found.1`, sql`at`, ...test.columns.map(stored)]
const ins = sql`INSERT INTO broadgauge.webget (${join(names, ', ')})`
const consts = [
  sql`1`,
  sql`1`,
  sql`toDateTime64('2026-01-01 00:00:00',3,'UTC')`,
  ...test.columns.map((c) => (c.type === 'text' ? sql`'x'` : sql`1`)),
]

const full = s.insertAccepted(j, src)
for (const [n, x] of Object.entries({
  default: {},
  noopt: { query_plan_enable_optimizations: 0 },
  nopush: { query_plan_filter_push_down: 0 },
  nomerge: { query_plan_merge_expressions: 0 },
  nosplit: { query_plan_split_filter: 0 },
  nopushsplit: { query_plan_filter_push_down: 0, query_plan_split_filter: 0 },
  nomergefilters: { query_plan_merge_filters: 0 },
  lift: { query_plan_lift_up_array_join: 0, query_plan_execute_functions_after_sorting: 0 },
  sub: { optimize_functions_to_subcolumns: 0 },
  noopt2: { query_plan_enable_optimizations: 0, compile_expressions: 0, optimize_functions_to_subcolumns: 0 },
  default2: {},
}))
  await run(n, full, x)
await ch.close()
