import { rollDice, type Dice } from '../../../faults/dice.ts'
import { chance } from '../dataset/chances.ts'
import type { Dataset } from '../model/facts.ts'
import { metrics } from '../model/metrics.ts'
import { aggregations, type Asked, type MetricRequest } from '../model/request.ts'
import type { Sample } from '../model/select.ts'
import { Deck } from './deck.ts'
import { KnownSamples } from './known-samples.ts'
import { filterTypes, rollFilter } from './roll-filters.ts'
import { quietTime, rollTime } from './roll-time.ts'

/** What a metric may be split and filtered by, as the service lists it for an organisation. */
export type Askable = (
  organisation: string,
  metric: string,
) => { splits: readonly string[]; filters: readonly string[] }

/** Far below the service's limit, since a limit may count possible points rather than those there are. */
const pointsMax = 20_000

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
  filterTypes: new Deck(dice, filterTypes),
  dimensions: new Map<string, number>(),
})

/** Valid requests, nearly all of which find something; the same for the same seed and day. */
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
  const anchor = dice.pick(known.of(organisation, { metric, prefilter: steps.prefilter }))
  const { splits, filters } = askable(organisation, metric)
  const raw = decks.raw.draw((isRaw) => !isRaw || metrics[metric]?.aggregatedOnly !== true)
  const aggregation = rollAggregation(dice, decks, metric, raw, steps.normalised)
  // Weights show where many results share a bucket.
  const fewSplits = aggregation.aggregation === 'four_hourly' && steps.normalised
  const request: MetricRequest = {
    metric,
    chartType: raw ? 'raw' : 'aggregate',
    ...aggregation,
    ...steps,
    ...maybe(
      dice,
      'splits',
      leastUsed(
        dice,
        decks,
        'split',
        splits,
        decks.splits.draw((count) => !fewSplits || count < 2),
      ),
    ),
    ...maybe(
      dice,
      'filters',
      leastUsed(dice, decks, 'filter', filters, decks.filters.draw()).map((id) =>
        rollFilter(dice, id, decks.filterTypes, { organisation, metric, anchor }, dataset, known),
      ),
    ),
    ...rollPanel(dice, dataset, organisation, anchor),
    ...(chance(dice, 5) ? { agent_agg: false } : {}),
    time: { from: '', to: '' },
  }
  // Nothing found has a form of its own.
  if (chance(dice, 4)) return { ...request, time: quietTime }
  const bucketsMax = pointsMax / known.groups(organisation, request)
  const buckets = raw ? undefined : request.aggregation
  return { ...request, time: rollTime(dice, anchor.located.localMs, buckets, bucketsMax, now) }
}

/** Given with raw it is ignored. */
function rollAggregation(
  dice: Dice,
  decks: Decks,
  metric: string,
  raw: boolean,
  normalised: boolean,
): Pick<MetricRequest, 'aggregation'> {
  if (raw) return chance(dice, 30) ? { aggregation: dice.pick(aggregations) } : {}
  // The one kind of bucket that has a part of one block and the whole of another.
  const cutsBlocks = metrics[metric]?.blocks.length !== 24 && normalised
  return { aggregation: cutsBlocks && chance(dice, 60) ? 'four_hourly' : decks.aggregations.draw() }
}

/** An empty list may be given or left out. */
const maybe = <Item>(dice: Dice, key: string, items: Item[]): Record<string, Item[]> =>
  items.length > 0 || chance(dice, 50) ? { [key]: items } : {}

/** Dimensions that have come up least so far, in no particular order. */
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
