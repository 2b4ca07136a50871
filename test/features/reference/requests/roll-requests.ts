import { rollDice, type Dice } from '../../../faults/dice.ts'
import { chance } from '../dataset/chances.ts'
import type { Dataset } from '../model/facts.ts'
import { usualPeak } from '../model/clock.ts'
import { filled } from '../model/presets.ts'
import { metrics } from '../model/metrics.ts'
import { aggregations, type Asked, type MetricRequest } from '../model/request.ts'
import type { Sample } from '../model/select.ts'
import { Deck } from './deck.ts'
import { KnownSamples } from './known-samples.ts'
import { newFilterDecks, rollFilter } from './filters/roll-filter.ts'
import { newStatisticsDecks, rollRawStatistics, rollStatistics } from './roll-statistics.ts'
import { quietTime, rollTime } from './roll-time.ts'
import { newWindowDecks, rollWindow } from './roll-window.ts'
import { anchorsOf, drawPreset, newPresetDecks, varyPreset } from './vary-preset.ts'
import { newDistributionDecks, varyDistribution } from './vary-distribution.ts'
import { newAgentDecks, varyAgents } from './vary-agents.ts'
import { newCompareDecks, varyCompare } from './vary-compare.ts'
import { newTimeDecks, varyForms, varyPeriods } from './vary-time.ts'

/** The dimensions by which a metric can be split and filtered, as the service lists them for an organisation. */
export type Askable = (
  organisation: string,
  metric: string,
) => { splits: readonly string[]; filters: readonly string[] }

/**
 * The maximum number of points of a request. It is far below the limit of the service, because that limit may count
 * possible points instead of existing points.
 */
const pointsMax = 20_000

/** The service answers fewer points if they have a histogram with many edges. */
const pointsMaxOf = (request: MetricRequest): number =>
  filled(request).histogram === undefined ? pointsMax : pointsMax / 2

type Decks = ReturnType<typeof newDecks>

const newDecks = (dice: Dice, keys: readonly string[]) => ({
  organisations: new Deck(dice, ['acme', 'acme', 'acme', 'acme', 'acme', 'acme', 'other']),
  metrics: new Deck(dice, keys),
  raw: new Deck(dice, [true, false, false, false]),
  aggregations: new Deck(dice, aggregations),
  steps: new Deck(
    dice,
    [0, 1, 2, 3].map((step) => ({ normalised: step % 2 === 1, prefilter: step >= 2 })),
  ),
  splits: new Deck(dice, [0, 1, 2, 3, 4]),
  filters: new Deck(dice, [0, 1, 1, 2, 3, 4]),
  filterParts: newFilterDecks(dice.fork(7)),
  statistics: newStatisticsDecks(dice),
  times: newTimeDecks(dice.fork(0)),
  relative: new Deck<Pick<MetricRequest, 'relativeTo'>>(dice.fork(1), [{ relativeTo: 'plan' }, {}]),
  windows: newWindowDecks(dice.fork(2)),
  agents: newAgentDecks(dice.fork(3)),
  distributions: newDistributionDecks(dice.fork(4)),
  presets: newPresetDecks(dice.fork(5)),
  compares: newCompareDecks(dice.fork(6)),
  dimensions: new Map<string, number>(),
})

/**
 * Valid requests. Almost all of them find at least one result. The same seed gives the same requests on the same day.
 */
export function rollRequests(
  dataset: Dataset,
  seed: number,
  count: number,
  askable: Askable,
  now: Temporal.Instant,
  keys: readonly string[] = Object.keys(metrics),
): Asked[] {
  const dice = rollDice(seed)
  const decks = newDecks(dice, keys)
  const known = new KnownSamples(dataset)
  return Array.from({ length: count }, () => {
    const organisation = decks.organisations.draw()
    return { organisation, now, request: rollRequest(dice, decks, dataset, known, askable, organisation, now) }
  })
}

function rollRequest(
  dice: Dice,
  decks: Decks,
  dataset: Dataset,
  known: KnownSamples,
  askable: Askable,
  organisation: string,
  now: Temporal.Instant,
): MetricRequest {
  const metric = decks.metrics.draw()
  const steps = decks.steps.draw()
  const { splits, filters } = askable(organisation, metric)
  const raw = decks.raw.draw((isRaw) => !isRaw || metrics[metric]?.aggregatedOnly !== true)
  const aggregation = rollAggregation(dice, decks, metric, raw, steps.normalised)
  const statistics = raw
    ? rollRawStatistics(dice, steps)
    : rollStatistics(dice, decks.statistics, { ...aggregation, ...steps })
  // A response that explains the prefilter has a point also where the prefilter excludes every result.
  const isExplained = statistics.include?.includes('prefilter') ?? false
  const preset = raw ? undefined : drawPreset(decks.presets, metric, statistics)
  const anchor = dice.pick(
    anchorsOf(known.of(organisation, { metric, prefilter: steps.prefilter && !isExplained }), preset),
  )
  // Weights matter only if a bucket has many results, so these requests have few splits.
  const fewSplits = aggregation.aggregation === 'four_hourly' && steps.normalised
  const splitIds = leastUsed(
    dice,
    decks,
    'split',
    splits,
    decks.splits.draw((count) => !fewSplits || count < 2),
  )
  const filterIds = leastUsed(dice, decks, 'filter', filters, decks.filters.draw())
  const usesPeak = [...splitIds, ...filterIds].includes('peak')
  const { window } = rollWindow(decks.windows, anchor, usesPeak)
  const around = { organisation, metric, anchor, peak: window ?? preset?.window ?? usualPeak }
  const rolled: MetricRequest = {
    metric,
    chartType: raw ? 'raw' : 'aggregate',
    ...aggregation,
    ...steps,
    ...maybe(dice, 'splits', splitIds),
    ...maybe(
      dice,
      'filters',
      filterIds.map((id) =>
        rollFilter({ dice, dataset, known }, decks.filterParts, id, usesPeak ? filters : withoutPeak(filters), around),
      ),
    ),
    ...(window === undefined ? {} : { window }),
    ...rollPanel(dice, dataset, organisation, anchor),
    ...(chance(dice, 5) ? { agent_agg: false } : {}),
    ...statistics,
    ...(metrics[metric]?.plan === undefined ? {} : decks.relative.draw()),
    time: { from: '', to: '' },
  }
  const request = varyDistribution(
    decks.distributions,
    varyPreset(decks.presets, varyAgents(decks.agents, rolled, anchor), preset, anchor),
    anchor,
  )
  // Some requests find nothing, because a response without results has a special format.
  if (chance(dice, 4)) return { ...request, time: varyForms(decks.times, quietTime, now) }
  const bucketsMax = pointsMaxOf(request) / known.groups(organisation, request)
  const buckets = raw ? undefined : request.aggregation
  const time = varyForms(decks.times, rollTime(dice, anchor.located.localMs, buckets, bucketsMax, now), now)
  const timed = varyPeriods(decks.times, dataset, { organisation, now, request: { ...request, time } }, anchor)
  return varyCompare(decks.compares, { organisation, now, request: timed }, anchor, {
    dataset,
    known,
    filters,
    bucketsMax,
    formsOf: (base) => varyForms(decks.times, base, now),
  })
}

/** A filter by `peak` would change what the window is. */
const withoutPeak = (ids: readonly string[]): string[] => ids.filter((id) => id !== 'peak')

/** Chooses an aggregation. A raw request may have one too, but the service ignores it. */
function rollAggregation(
  dice: Dice,
  decks: Decks,
  metric: string,
  raw: boolean,
  normalised: boolean,
): Pick<MetricRequest, 'aggregation'> {
  if (raw) return chance(dice, 30) ? { aggregation: dice.pick(aggregations) } : {}
  // Only a bucket of four hours can contain a part of one block and the whole of another.
  const cutsBlocks = metrics[metric]?.blocks.length !== 24 && normalised
  return { aggregation: cutsBlocks && chance(dice, 60) ? 'four_hourly' : decks.aggregations.draw() }
}

/** If the list is empty, the request sometimes contains an empty list and sometimes omits the field. */
const maybe = <Item>(dice: Dice, key: string, items: Item[]): Record<string, Item[]> =>
  items.length > 0 || chance(dice, 50) ? { [key]: items } : {}

/** Chooses dimensions, preferring those that have been used least, and records their use. */
function leastUsed(dice: Dice, { dimensions }: Decks, role: string, ids: readonly string[], count: number): string[] {
  const uses = (id: string): number => dimensions.get(`${role} ${id}`) ?? 0
  const chosen = ids
    .map((id) => ({ id, place: uses(id) + dice.between(0, 15) }))
    .toSorted((one, other) => one.place - other.place)
    .slice(0, count)
    .map(({ id }) => id)
  for (const id of chosen) dimensions.set(`${role} ${id}`, uses(id) + 1)
  return chosen
}

function rollPanel(
  dice: Dice,
  { panels }: Dataset,
  organisation: string,
  anchor: Sample,
): Pick<MetricRequest, 'panel'> {
  if (!chance(dice, 30)) return {}
  const own = anchor.located.result.panel
  const others = panels
    .filter(
      ({ key, owner, subscribers }) => key !== own && (owner === organisation || subscribers.includes(organisation)),
    )
    .map(({ key }) => key)
  return { panel: dice.pick([own, [own], [dice.pick(others), own]]) }
}
