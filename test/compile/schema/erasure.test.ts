import { expect, it } from 'vitest'
import { catalog } from '../../../src/catalog/catalog.ts'
import {
  applyMarks,
  countTrace,
  findBuildsOf,
  removeTrace,
  tracesOf,
  type ErasedAgent,
  type Trace,
} from '../../../src/compile/schema/erasure.ts'
import { shown } from '../shown.ts'

const agent: ErasedAgent = { number: 42, agentId: 'Acme-0:7', owner: 4, builds: [8, 9] }
const traces = (more: Partial<ErasedAgent> = {}, isCluster = false): Trace[] =>
  tracesOf(catalog, { ...agent, ...more }, isCluster)
function conditionIn(table: string, more: Partial<ErasedAgent> = {}): string {
  const trace = traces(more).find((one) => one.table === table)
  return trace === undefined ? '' : shown(trace.condition)
}
const own = ['rejected_results', 'staged_results', 'metric_rollup']

it('searches the table of every test and every other place that names an agent', () => {
  expect(traces().map(({ table }) => table)).toEqual([...catalog.tests.map(({ key }) => key), ...own])
})

it('searches the shards’ own tables on a cluster; each node has its own staged rows', () => {
  expect(traces({}, true).map(({ table }) => table)).toEqual(
    [...catalog.tests.map(({ key }) => key), ...own].map((name) =>
      name === 'staged_results' ? name : `${name}_shard`,
    ),
  )
})

it.each(catalog.tests.map(({ key }) => key))('removes the agent’s results of %s', (key) => {
  expect(conditionIn(key)).toBe('agent = 42')
})

const sentBy = (id: string, isOwn: string): string => {
  const key = `lower(replaceRegexpAll(${id}, '[^\\\\p{L}\\\\p{M}\\\\p{N}]', ''))`
  const unread = `(${id} = '' OR substring(${id}, 1, 1) IN ('{', '[') OR reason = 'malformed_row')`
  const bare = String.raw`replaceRegexpAll(lower(piece), '\\\\u[0-9a-f]{4}|[^a-z0-9]', '')`
  const pieces = String.raw`arrayConcat(splitByRegexp('["\',;\\t{}\\[\\]]', raw), splitByRegexp('["\',;:=\\t{}\\[\\]]', raw))`
  return `(${key} = 'acme07'\n  OR ${isOwn} AND ${unread} AND arrayExists(piece -> ${bare} = 'acme07', ${pieces}))`
}

it('removes rejected rows that the agent sent, and unreadable ones of its organisation that name it', () => {
  expect(conditionIn('rejected_results')).toBe(sentBy('agent_id', 'organisation = 4'))
})

it('removes staged rows, by number or, if they could not be read, by their text', () => {
  expect(conditionIn('staged_results')).toBe(`agent = 42 OR (agent = 0 OR reason != '') AND ${sentBy('cells[1]', '1')}`)
})

it('removes every build that includes the agent, and no rollup rows if none does', () => {
  expect(conditionIn('metric_rollup')).toBe('build IN (8, 9)')
  expect(conditionIn('metric_rollup', { builds: [] })).toBe('false')
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

it('finds the builds that include an agent', () => {
  expect(shown(findBuildsOf('bg', 42))).toBe(`SELECT DISTINCT build FROM bg.metric_rollup
WHERE whole = 1 AND bitmapContains(agents, toUInt32(42))`)
})
