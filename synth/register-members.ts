import type { PackageRow } from '../src/check/rows/package-row.ts'
import type { ClickHouse } from '../src/engine/clickhouse/clickhouse.ts'
import { findSelected } from '../src/engine/clickhouse/query/ask.ts'
import type { LoadedLine } from '../src/engine/postgres/operator/bulk-load.ts'
import { changeTimelines } from '../src/engine/postgres/operator/change-timelines.ts'
import { importAgents } from '../src/engine/postgres/operator/import-agents.ts'
import { importPackages } from '../src/engine/postgres/operator/import-packages.ts'
import { syntheticRequestId } from '../src/engine/postgres/operator/synthetic-panels.ts'
import { market } from './market.ts'
import { agentRow, timelineRows } from './member-rows.ts'
import { members, type Member } from './members.ts'
import { recordOf, type Population } from './options.ts'
import type { OnStep, SynthesisStores } from './stores.ts'

/** Registers the packages, the agents and their timelines. It does not change those that are already registered. */
export async function registerMembers(
  { operator, ingest }: SynthesisStores,
  population: Population,
  onStep: OnStep,
): Promise<void> {
  const of = population.agents
  await importPackages(operator, asLines(market.map(packageRow)), () => {})
  const agents = asLines(mapped(everyone(ingest, population), (member) => [agentRow(population, member)]))
  await importAgents(operator, population.panel, agents, (done) => onStep({ step: 'agents', done, of }))
  const rows = asLines(mapped(everyone(ingest, population), (member) => timelineRows(population, member)))
  const origin = { requestId: syntheticRequestId, request: recordOf(population) }
  await changeTimelines(operator, population.panel, rows, origin, (done) => onStep({ step: 'timelines', done, of }))
}

const membersAtOnce = 50_000

async function* everyone(ingest: ClickHouse, population: Population): AsyncGenerator<Member> {
  for (let first = 1; first <= population.agents; first += membersAtOnce) {
    const count = Math.min(membersAtOnce, population.agents - first + 1)
    yield* await findSelected<Member>(ingest, members(population, first, count))
  }
}

async function* mapped<Item, Result>(
  items: AsyncIterable<Item>,
  map: (item: Item) => Iterable<Result>,
): AsyncGenerator<Result> {
  for await (const item of items) yield* map(item)
}

async function* asLines<Row>(rows: Iterable<Row> | AsyncIterable<Row>): AsyncGenerator<LoadedLine<Row>> {
  let line = 0
  for await (const row of rows) yield { line: (line += 1), row }
}

const packageRow = ({ isp, package: name, downMbps, upMbps }: (typeof market)[number]): PackageRow => ({
  isp,
  package: name,
  download_bits_sec: downMbps === null ? null : downMbps * 1_000_000,
  upload_bits_sec: upMbps === null ? null : upMbps * 1_000_000,
})
