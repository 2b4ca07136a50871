import { expect, it } from 'vitest'
import { catalog } from '../../src/catalog/catalog.ts'
import {
  applyMarks,
  countTrace,
  findAskers,
  findBuildsOf,
  removeTrace,
  tracesOf,
  type ErasedAgent,
  type Trace,
} from '../../src/compile/erasure.ts'
import { shown } from './shown.ts'

const agent: ErasedAgent = { number: 42, agentId: 'Acme-0:7', unitId: '1007', owner: 4, builds: [8, 9] }
const traces = (more: Partial<ErasedAgent> = {}, isCluster = false): Trace[] =>
  tracesOf(catalog, { ...agent, ...more }, isCluster)
function traceIn(table: string, more: Partial<ErasedAgent> = {}): { condition: string; removal: string } {
  const trace = traces(more).find((one) => one.table === table)
  return {
    condition: trace === undefined ? '' : shown(trace.condition),
    removal: trace === undefined ? '' : shown(trace.removal),
  }
}
const own = ['rejected_results', 'staged_results', 'metric_rollup', 'audited_queries']

it('looks into the table of every test and wherever else an agent is named', () => {
  expect(traces().map(({ table }) => table)).toEqual([...catalog.tests.map(({ key }) => key), ...own])
})

it('looks into the shards’ own tables on a cluster; rows put aside are in one of each node', () => {
  expect(traces({}, true).map(({ table }) => table)).toEqual(
    [...catalog.tests.map(({ key }) => key), ...own].map((name) =>
      name === 'staged_results' ? name : `${name}_shard`,
    ),
  )
})

it.each(catalog.tests.map(({ key }) => key))('removes the agent’s results of %s', (key) => {
  expect(traceIn(key)).toEqual({ condition: 'agent = 42', removal: 'DELETE' })
})

const sentBy = (id: string, isOwn: string): string => {
  const key = `lower(replaceRegexpAll(${id}, '[^\\\\p{L}\\\\p{M}\\\\p{N}]', ''))`
  const unread = `(${id} = '' OR substring(${id}, 1, 1) IN ('{', '[') OR reason = 'malformed_row')`
  const bare = String.raw`replaceRegexpAll(lower(piece), '\\\\u[0-9a-f]{4}|[^a-z0-9]', '')`
  const pieces = String.raw`arrayConcat(splitByRegexp('["\',;\\t{}\\[\\]]', raw), splitByRegexp('["\',;:=\\t{}\\[\\]]', raw))`
  return `(${key} = 'acme07'\n  OR ${isOwn} AND ${unread} AND arrayExists(piece -> ${bare} = 'acme07', ${pieces}))`
}

it('removes rejected rows that the agent sent, and unreadable ones of its own organisation that name it', () => {
  expect(traceIn('rejected_results')).toEqual({ condition: sentBy('agent_id', 'organisation = 4'), removal: 'DELETE' })
})

it('removes rows put aside, by number or, where they could not be read, by what they say', () => {
  expect(traceIn('staged_results')).toEqual({
    condition: `agent = 42 OR (agent = 0 OR reason != '') AND ${sentBy('cells[1]', '1')}`,
    removal: 'DELETE',
  })
})

it('removes every build that counted the agent, and no sums where none did', () => {
  expect(traceIn('metric_rollup')).toEqual({ condition: 'build IN (8, 9)', removal: 'DELETE' })
  expect(traceIn('metric_rollup', { builds: [] }).condition).toBe('false')
})

it('blacks out agent and unit in questions about agents, and keeps the questions', () => {
  const body = "ifNull(body, '')"
  expect(traceIn('audited_queries')).toEqual({
    condition:
      `multiSearchAny(${body}, ['"id":"agent"', '"id":"unit"', '"id":"custom.'])` +
      ` AND multiSearchAny(${body}, ['"Acme-0:7"', '"1007"'])`,
    removal: `UPDATE body = replaceAll(replaceAll(${body}, '"Acme-0:7"', '"erased"'), '"1007"', '"erased"')`,
  })
})

it('blacks out the agent alone where it has no unit', () => {
  const { condition, removal } = traceIn('audited_queries', { unitId: null })
  expect(condition).toMatch(/ AND multiSearchAny\(ifNull\(body, ''\), \['"Acme-0:7"'\]\)$/)
  expect(removal).toBe(`UPDATE body = replaceAll(ifNull(body, ''), '"Acme-0:7"', '"erased"')`)
})

it('escapes an id that could end the literal it stands in', () => {
  const { removal } = traceIn('audited_queries', { agentId: `a'b\\c"d`, unitId: null })
  expect(removal).toContain(String.raw`'"a\'b\\\\c\\"d"'`)
})

const trace: Trace | undefined = traces()[0]

it('counts, removes and waits', () => {
  if (trace === undefined) throw new Error('there is no trace')
  const { table } = trace
  expect(shown(countTrace('bg', trace))).toBe(`SELECT count() AS found FROM bg.${table} WHERE agent = 42`)
  expect(shown(removeTrace('bg', trace))).toBe(
    `ALTER TABLE bg.${table} DELETE WHERE agent = 42 SETTINGS mutations_sync = 2`,
  )
  expect(shown(applyMarks('bg', trace))).toBe(`ALTER TABLE bg.${table} APPLY DELETED MASK SETTINGS mutations_sync = 2`)
})

it('finds the builds that counted an agent', () => {
  expect(shown(findBuildsOf('bg', 42))).toBe(`SELECT DISTINCT build FROM bg.metric_rollup
WHERE whole = 1 AND bitmapContains(agents, toUInt32(42))`)
})

it('finds who asked for a panel in the last days', () => {
  expect(shown(findAskers('bg', 3, 8))).toBe(`SELECT DISTINCT organisation FROM bg.audited_queries
WHERE has(panels, 3) AND asked_at > now() - toIntervalDay(8)`)
})
