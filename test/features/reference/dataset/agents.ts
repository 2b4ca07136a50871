import type { Dice } from '../../../faults/dice.ts'
import type { Agent, Kind, Package, Panel, Span, Speeds } from '../model/facts.ts'
import { firstDay, lastDay, zones } from './calendar.ts'
import { chance } from './chances.ts'

/**
 * The organisation `acme` reads its own two panels and a third panel to which it subscribes. It must never see rows
 * that only `other` may read.
 */
export const panels: Panel[] = [
  { key: 'north', owner: 'acme', subscribers: [] },
  { key: 'foreign', owner: 'other', subscribers: [] },
  { key: 'partner', owner: 'other', subscribers: ['acme'] },
  { key: 'south', owner: 'acme', subscribers: [] },
]

/**
 * Names that are in different orders when sorted by bytes, by UTF-16 and by a locale. Two of the names are also the
 * number of another entry.
 */
export const isps = [
  '3',
  '5',
  'Bee Net',
  'Zén',
  'acme',
  'Acme',
  '\ufb01bre',
  '\u{1d53d}ibre',
  `O'Neil "&" \\ Sons`,
  'Nobody',
]

const packageNames = ['ADSL', 'Fibre:1000', '7']
export const packages: Package[] = isps.flatMap((isp, place) =>
  packageNames.map((name, index) => ({ isp, name, imports: importsOf(3 * place + index) })),
)

/**
 * Some packages have no speed, some have always had the same one, and some have changed. The last import of some packages is
 * dated before an earlier one, and some packages are sold without a speed for some time.
 */
function importsOf(number: number): Speeds[] {
  const download = 7_000_000 * (number + 1) + 1
  const upload = number % 5 === 0 ? null : download / 7 + 0.5
  const speeds = { download, upload: upload === null ? null : Math.round(upload) }
  const middle = Math.round((firstDay + lastDay) / 2)
  const changes: Speeds[] = [
    { fromDay: firstDay + 20, ...speeds },
    { fromDay: middle, download: 2 * download, upload: 3_333_333 },
    { fromDay: middle - 60 + number, download: 100_000_000, upload: null },
    { fromDay: middle + 60, download: null, upload: 40_000_000 },
  ]
  return changes.slice(0, number % (changes.length + 1))
}

const agentsOfPanel: Record<string, Partial<Record<Kind, number>>> = {
  north: { whitebox: 22, cpe: 8, mobile: 9, web: 4 },
  south: { whitebox: 10, cpe: 6, mobile: 6, web: 2 },
  partner: { whitebox: 10, cpe: 5, mobile: 6, web: 3 },
  foreign: { whitebox: 8, cpe: 3, mobile: 4, web: 2 },
}

/** The agents. They are not registered in the order of their names. */
export function rollAgents(dice: Dice): Agent[] {
  const names = shuffled(
    dice,
    Array.from({ length: 200 }, (_, index) => index),
  ).map((number) => `${dice.pick(['WB', 'wb', 'Cpe', 'x'])}-${String(number).padStart(4, '0')}`)
  const units = new Set<number>()
  return panels.flatMap(({ key: panel }) =>
    Object.entries(agentsOfPanel[panel] ?? {}).flatMap(([kind, count]) =>
      Array.from({ length: count }, () => rollAgent(dice, names.pop() ?? '', panel, kind as Kind, units)),
    ),
  )
}

function rollAgent(dice: Dice, id: string, panel: string, kind: Kind, units: Set<number>): Agent {
  const unitless = (kind === 'mobile' || kind === 'web') && chance(dice, 70)
  return {
    id,
    panel,
    kind,
    unit: unitless ? null : rollUnit(dice, units),
    base: chance(dice, 10) ? null : dice.pick(['model-x', 'Model Y', 'model-10', 'model-9']),
    country: chance(dice, 10) ? null : dice.pick(['GB', 'US', 'NP', 'MA']),
    timeline: rollTimeline(dice, panel === 'north' || panel === 'south' ? acmeFields : otherFields),
  }
}

/** A unit number of any length, up to the largest integer that JSON can carry exactly. */
function rollUnit(dice: Dice, units: Set<number>): number {
  const unit = dice.pick([dice.between(1, 99), dice.between(100, 99_999), 9_007_199_254_740_991 - dice.between(0, 999)])
  if (units.has(unit)) return rollUnit(dice, units)
  units.add(unit)
  return unit
}

type Fields = Record<string, readonly (string | number)[]>

/** Both owners have a field `tier`. A number and its text, such as 100 and '100', are the same value. */
const acmeFields: Fields = {
  tier: ['gold', 'silver', '', 'Gold'],
  line_mbps: [50, 100, '100', 2.5, -3],
  'région.test': [`l'été "\\"`, 'hiver'],
}
const otherFields: Fields = { tier: ['gold', 'bronze'], site: ['A', 'B', 1] }

function rollTimeline(dice: Dice, fields: Fields): Span[] {
  const changes = chance(dice, 15) ? 0 : dice.between(1, 5)
  const days = new Set(Array.from({ length: changes }, () => dice.between(firstDay, lastDay)))
  // Change the metadata again after the last result, so that no result has the current metadata.
  if (chance(dice, 50)) days.add(lastDay + dice.between(30, 60))
  if (chance(dice, 80)) days.add(0)
  return [...days].toSorted((one, other) => one - other).map((fromDay) => ({ fromDay, ...rollState(dice, fields) }))
}

function rollState(dice: Dice, fields: Fields): Omit<Span, 'fromDay'> {
  const used = packages.filter(({ isp }) => isp !== 'Nobody')
  const product = chance(dice, 10) ? null : dice.pick(used)
  return {
    isp: product?.isp ?? null,
    package: product === null || chance(dice, 15) ? null : product.name,
    zone: chance(dice, 10) ? null : dice.pick(zones),
    custom: Object.fromEntries(
      Object.entries(fields).flatMap(([key, values]) => (chance(dice, 30) ? [] : [[key, dice.pick(values)]])),
    ),
  }
}

function shuffled<Item>(dice: Dice, items: Item[]): Item[] {
  return items
    .map((item) => ({ item, place: dice.between(0, 2 ** 30) }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ item }) => item)
}
