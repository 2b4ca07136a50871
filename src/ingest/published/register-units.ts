import type { AgentRow } from '../../check/rows/agent-row.ts'
import type { UnitProfile } from '../../check/rows/unit-profile-row.ts'
import type { LoadedLine } from '../../engine/postgres/operator/bulk-load.ts'
import { changeTimelines, type TimelineRow } from '../../engine/postgres/operator/change-timelines.ts'
import { findUnregistered } from '../../engine/postgres/operator/agents.ts'
import { importAgents } from '../../engine/postgres/operator/import-agents.ts'
import { importPackages } from '../../engine/postgres/operator/import-packages.ts'
import { OperatorError, type Operator } from '../../engine/postgres/operator/operator.ts'

export type Profile = { readonly units: readonly LoadedLine<UnitProfile>[]; readonly fromDay: string }

/** Registers the units, ISPs and packages of a profile, and changes the units' timelines from `fromDay` on. */
export async function registerProfile(
  operator: Operator,
  panel: string,
  { units, fromDay }: Profile,
): Promise<{ registered: number; changed: number }> {
  const offers = units.flatMap((unit) => ('row' in unit && unit.row.offer !== null ? [unit.row.offer] : []))
  const distinct = new Map(offers.map((offer) => [`${offer.isp}:${offer.package}`, offer]))
  const agents = lines(units, ({ agent }) => agent)
  // Import the agents first, because this checks every line: an invalid profile must not register packages.
  const { created } = await importAgents(operator, panel, each(agents), () => {}, 'model')
  const packages = [...distinct.values()].map((row, index) => ({ line: index + 1, row }))
  // The name of such a package contains its speeds, so known speeds differ only if the operator has corrected them.
  await importPackages(operator, each(packages), () => {}, null, 'keep')
  const changes = lines(units, (unit) => timelineRow(unit, fromDay))
  const origin = { requestId: 'import fcc-mba', request: { fromDay, units: units.length } }
  const { changed } = await changeTimelines(operator, panel, each(changes), origin, () => {})
  return { registered: created, changed }
}

/** Registers units that have results but no profile, as agents without metadata. Returns the number of new units. */
export async function registerUnits(operator: Operator, panel: string, unitIds: readonly string[]): Promise<number> {
  const missing = await findUnregistered(operator, unitIds)
  if (missing.length === 0) return 0
  const rows = missing.map((unitId, index) => ({ line: index + 1, row: unknownUnit(unitId) }))
  try {
    return (await importAgents(operator, panel, each(rows), () => {})).created
  } catch (error) {
    // The error contains line numbers, but no file has these lines. The new message says what failed.
    throw error instanceof OperatorError
      ? new OperatorError(`Units cannot be registered. ${error.message}`, error)
      : error
  }
}

const unknownUnit = (unitId: string): AgentRow => ({
  agent_id: unitId,
  unit_id: unitId,
  mac_address: null,
  kind: 'whitebox',
  base: null,
  country: 'US',
})

const timelineRow = ({ agent, isp, offer, timezone, custom }: UnitProfile, fromDay: string): TimelineRow => ({
  agent_id: agent.agent_id,
  from_day: fromDay,
  isp,
  package: offer?.package ?? null,
  timezone,
  custom: JSON.stringify(custom),
})

const lines = <Row>(units: Profile['units'], rowOf: (unit: UnitProfile) => Row): LoadedLine<Row>[] =>
  units.map((unit) => ('row' in unit ? { line: unit.line, row: rowOf(unit.row) } : unit))

async function* each<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items
}
