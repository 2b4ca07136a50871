import { describe, expect, it } from 'vitest'
import { sql } from '../../../src/base/sql.ts'
import { isAllowedWith } from '../../../src/catalog/visible.ts'
import { type Cell, rawPoints } from '../../../src/compile/metric/raw-points.ts'
import { planOf, visible } from '../plans.ts'
import { conditionsOf, shown } from '../shown.ts'

const compiled = (asked: Parameters<typeof planOf>[0], cell?: Cell) => {
  const { columns, query } = rawPoints('bg', planOf({ aggregation: null, ...asked }), cell)
  return { columns, text: shown(query) }
}
const unit = "toString(dictGet('bg.agents', 'unit_id', agent))"
const agent = "dictGet('bg.agents', 'agent_id', agent)"
const time = "formatDateTime(toDateTime(local_second, 'UTC'), '%Y-%m-%dT%H:%i:%S')"
const innerOf = (text: string): string[] => (/\nSELECT\n {2}([^]*?)\nFROM bg\./.exec(text)?.[1] ?? '').split(',\n  ')

it('gives value, local time, agent and unit of each result', () => {
  const { columns, text } = compiled({})
  expect(columns).toEqual(['metricValue', 'dtime', 'agent', 'unit'])
  expect(innerOf(text)).toEqual([
    'toFloat64(number) * 8 / 1e6 AS column1',
    `${time} AS column2`,
    `${agent} AS column3`,
    `${unit} AS column4`,
  ])
})

it('gives the percentage of each row of a ratio', () => {
  expect(innerOf(compiled({ metric: 'packetLoss' }).text)[0]).toBe('percentage AS column1')
})

it('names columns one level further out, as bound names: a custom field is the caller’s own text', () => {
  const { columns, text } = compiled({ splits: ['custom.region', 'isp'] })
  expect(columns).toEqual(['metricValue', 'dtime', 'agent', 'unit', 'custom.region', 'isp'])
  expect(text.split('\nFROM (')[0]).toBe(`SELECT
  column1 AS {metricValue:Identifier},
  column2 AS {dtime:Identifier},
  column3 AS {agent:Identifier},
  column4 AS {unit:Identifier},
  column5 AS {custom.region:Identifier},
  column6 AS {isp:Identifier}`)
})

it('selects agent and unit once, also if they are splits', () => {
  expect(compiled({ splits: ['unit', 'base', 'agent'] }).columns).toEqual([
    'metricValue',
    'dtime',
    'agent',
    'unit',
    'base',
  ])
})

it('shows a split by its name', () => {
  const isp =
    "arrayMap(k -> dictGetOrDefault('bg.spans', 'isp_id', k, dictGet('bg.spans_recent', 'isp_id', k)), [span])[1]"
  expect(innerOf(compiled({ splits: ['isp'] }).text)[4]).toBe(
    `nullIf(dictGet('bg.isps', 'name', toUInt64(${isp})), '') AS column5`,
  )
})

it('keeps the order in which results are stored', () => {
  expect(compiled({}).text).toMatch(
    /\nORDER BY panel, toDate\(dtime\), agent, dtime, target, sequence, threads, ip_version\n\)$/,
  )
  expect(compiled({ metric: 'dnsResponse' }).text).toMatch(
    /\nORDER BY panel, toDate\(dtime\), agent, dtime, nameserver, lookup_host\n\)$/,
  )
})

it('writes each cell with the given function, by its type', () => {
  const cell: Cell = (content, value) =>
    sql`${content === 'text' ? sql`t` : content === 'number' ? sql`n` : sql`l`}(${value})`
  const [outer = ''] = compiled({ splits: ['threads', 'base'] }, cell).text.split('\nFROM (')
  expect([...outer.matchAll(/\w\(column\d\)/g)].map(String)).toEqual([
    'n(column1)',
    'l(column2)',
    't(column3)',
    't(column4)',
    'l(column5)',
    't(column6)',
  ])
})

describe.each(visible.metrics.filter((one) => !one.aggregatedOnly).map((metric) => [metric.key, metric] as const))(
  '%s',
  (key, metric) => {
    it('has scope and time first, with every split', () => {
      for (const { id } of visible.dimensions.filter((one) => isAllowedWith(one, metric))) {
        const plan = planOf({ metric: key, aggregation: null, splits: [id] })
        const { text } = compiled({ metric: key, splits: [id] })
        expect(text).toContain(`\nFROM bg.${plan.test.key}\nWHERE `)
        expect(conditionsOf(text).slice(0, 3), id).toEqual([
          'panel IN {[3,7]:Array(UInt32)}',
          'toDate(dtime) BETWEEN {"2026-01-01":Date} AND {"2026-01-31":Date}',
          `local_second BETWEEN {${plan.from}:Int64} AND {${plan.to}:Int64}`,
        ])
      }
    })
  },
)
