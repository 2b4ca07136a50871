import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runSql } from '../../kit/run-sql.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { storedDamages } from './stored-damages.ts'
import { compareAgent, type Difference, type DifferenceKind, type Knowledge } from './timeline-comparison.ts'
import { Coverage } from './timeline-coverage.ts'
import { type applyChange, historyOf } from './timeline-model.ts'
import { readAgents, type StoredAgent } from './timeline-readback.ts'
import { type AgentPlan, planAgents, sampleSequences, type Sequence } from './timeline-sequences.ts'
import { type Engine, forEachAtOnce, openEngine, registerAgents, requestName, runSequence } from './timeline-world.ts'
import { wrongRules } from './wrong-rules.ts'

/**
 * Makes random sequences of changes through the service's own code. Then compares everything stored in PostgreSQL, day
 * by day, with a model that has no spans.
 */
const isDeep = process.env['BROADGAUGE_TEST_DEEP'] === '1'
const sequenceCount = isDeep ? 10_000 : 1_000
const seed = Number(process.env['BROADGAUGE_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const batchSize = 500

/** One agent of a sequence: its changes, their events, and what PostgreSQL stores about it. */
type Outcome = { sequence: Sequence; place: number; plan: AgentPlan; eventIds: number[]; stored: StoredAgent }
type Finding = Difference & { outcome: Outcome }

let world: World
let engine: Engine
let firstEvent: number
const coverage = new Coverage()
const several = { steps: 0, ofSeveralAgents: 0 }
const findings: Finding[] = []
const wrongCounts: string[] = []
/** The outcomes that the tests of the comparison need. The test drops the other outcomes after it has compared them. */
let sample: Outcome[] = []

beforeAll(
  async () => {
    const started = performance.now()
    world = await openWorld()
    engine = await openEngine(world)
    const sequences = sampleSequences(sequenceCount, seed)
    const agentIds = await registerAgents(world, sequences)
    firstEvent = await lastEvent()
    for (let start = 0; start < sequences.length; start += batchSize) {
      const outcomes = await runBatch(sequences.slice(start, start + batchSize), agentIds, start)
      for (const outcome of outcomes) {
        findings.push(...compareOutcome(outcome).map((difference) => ({ ...difference, outcome })))
        coverage.add(outcome.plan, historyOf(outcome.plan.map(({ change }) => change)))
      }
      if (start === 0) sample = outcomes.slice(0, 300)
    }
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    const counts = Object.entries({ ...several, ...coverage.counts }).map(([name, count]) => `${name} ${count}`)
    console.log(
      `timeline: seed ${seed}, ${sequences.length} sequences, ${agentIds.flat().length} agents, ${counts.join(', ')};`,
      `${findings.length} differences, ${seconds} s`,
    )
  },
  isDeep ? 1_200_000 : 180_000,
)
afterAll(async () => {
  await engine.postgres.close()
  await world.close()
})

async function lastEvent(): Promise<number> {
  const [row] = await runSql<{ id: number }>(world.superuserUrl, 'SELECT max(id)::float8 AS id FROM metadata_events')
  return row?.id ?? 0
}

async function runBatch(batch: readonly Sequence[], agentIds: number[][], start: number): Promise<Outcome[]> {
  const plans = batch.map(planAgents)
  await forEachAtOnce(batch, async (sequence, index) => {
    const changed = await runSequence(engine, sequence, start + index).catch((cause: unknown) => {
      throw new Error(`BROADGAUGE_TEST_SEED=${seed}: a change failed in ${JSON.stringify(sequence)}`, { cause })
    })
    const reached = sequence.steps.map(
      (_, step) => plans[index]?.filter((plan) => plan.some((one) => one.step === step)).length ?? 0,
    )
    several.steps += reached.length
    several.ofSeveralAgents += reached.filter((count) => count > 1).length
    if (changed.join() !== reached.join())
      wrongCounts.push(`${start + index}: changed ${changed}, should be ${reached}`)
  })
  const { agents, events } = await readAgents(world.superuserUrl, agentIds.slice(start, start + batch.length).flat())
  return batch.flatMap((sequence, index) =>
    (plans[index] ?? []).map((plan, place): Outcome => {
      const stored = agents.get(agentIds[start + index]?.[place] ?? 0)
      if (stored === undefined) throw new Error(`agent ${place} of sequence ${start + index} has no current metadata`)
      const eventIds = [firstEvent]
      // A change without an event must have changed nothing, so the timeline after the previous event must still be
      // valid.
      for (const { step } of plan) eventIds.push(events.get(requestName(start + index, step)) ?? eventIds.at(-1) ?? 0)
      return { sequence, place, plan, eventIds, stored }
    }),
  )
}

function compareOutcome({ plan, eventIds, stored }: Outcome, apply?: typeof applyChange): Difference[] {
  const history = historyOf(
    plan.map(({ change }) => change),
    apply,
  )
  return compareAgent(
    stored,
    history.map((timeline, index): Knowledge => ({ timeline, eventId: eventIds[index] ?? 0 })),
  )
}

/** Reports the seed and the shortest sequence that shows the difference, so that a developer can reproduce it. */
function report(found: readonly Finding[]): string {
  const shortest = found.toSorted((one, other) => one.outcome.plan.length - other.outcome.plan.length)[0]
  if (shortest === undefined) return ''
  const { sequence, place } = shortest.outcome
  return `BROADGAUGE_TEST_SEED=${seed}; ${found.length} differences, for example agent ${place} of ${JSON.stringify(sequence)}`
}

function expectNone(...kinds: DifferenceKind[]): void {
  const found = findings.filter(({ kind }) => kinds.includes(kind))
  expect(
    found.slice(0, 5).map(({ text }) => text),
    report(found),
  ).toEqual([])
}

describe('a random sequence of changes', () => {
  it('leaves on every day what the model says, now and as known after each change', () => expectNone('state'))

  it('leaves no gap, no overlap, and no span that begins on a day without a change', () =>
    expectNone('gap', 'overlap', 'outside'))

  it('leaves no two equal neighbouring spans', () => expectNone('neighbours'))

  it('leaves current metadata and the list of spans consistent with the spans', () => expectNone('current'))

  it('uses no span id twice', async () => {
    expectNone('identity')
    const [ids] = await runSql<{ versions: number; distinct: number; unused: boolean }>(
      world.superuserUrl,
      `SELECT count(*)::integer AS versions, count(DISTINCT id)::integer AS distinct,
         max(id) <= (SELECT last_value FROM span_ids) AS unused
       FROM (SELECT id FROM spans UNION ALL SELECT id FROM retired_spans) all_ids`,
    )
    expect(ids, `BROADGAUGE_TEST_SEED=${seed}`).toEqual({
      versions: ids?.versions,
      distinct: ids?.versions,
      unused: true,
    })
  })

  it('changes exactly the selected agents', () =>
    expect(wrongCounts.slice(0, 5), `BROADGAUGE_TEST_SEED=${seed}`).toEqual([]))

  it('covers the important cases', () => {
    const { changes, sinceEver, overwriteEmpty, packageRemoved, noOp, boundaryRemoved, ...common } = coverage.counts
    const twentieth = changes / 20
    for (const [name, count] of Object.entries(common)) expect(count, name).toBeGreaterThan(twentieth)
    for (const [name, count] of Object.entries({ sinceEver, overwriteEmpty, packageRemoved, noOp, boundaryRemoved })) {
      expect(count, name).toBeGreaterThan(sequenceCount / 20)
    }
    expect(several.ofSeveralAgents).toBeGreaterThan(several.steps / 40)
  })
})

describe('the comparison', () => {
  it.each(Object.entries(wrongRules))('detects a model in which %s', (_, apply) => {
    const kinds = sample.flatMap((outcome) => compareOutcome(outcome, apply).map(({ kind }) => kind))
    expect(new Set(kinds)).toEqual(new Set(['state']))
  })

  it.each(storedDamages)('detects as $kind an agent that $agent', ({ kind, damage }) => {
    const outcome = structuredClone(
      sample.find(({ plan, stored }) => plan.length > 4 && stored.current.days.length > 3),
    )
    if (outcome === undefined) throw new Error('no agent has enough spans')
    expect(compareOutcome(outcome)).toEqual([])
    damage(outcome.stored)
    expect(compareOutcome(outcome).map((difference) => difference.kind)).toContain(kind)
  })
})
