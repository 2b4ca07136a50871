import type { Dice } from '../../faults/dice.ts'

/**
 * Random histories of the speeds of packages, and a model that answers which speeds hold on a day. A day is a number of days
 * after the first day of the range. The model keeps every import and has no spans, so it shares nothing with the service.
 */
export const daysOfRange = 60

/** The speeds of a package from a day on, in bits per second. A day of -Infinity is the beginning. */
export type Speeds = { day: number; download: number | null; upload: number | null }

/** One import: the new speeds of several packages, by the numbers of their histories, from the same day on. */
export type Import = { day: number; speeds: ReadonlyMap<number, Omit<Speeds, 'day'>> }

/** The largest number of imports of one package. */
const importsMax = 8

/** Rates whose percentages have no exact decimal form are among them. */
const rates = [null, null, 1, 3_000_000, 7_000_001, 52_500_000, 999_999_937, 10_000_000_000]

export const rollSpeeds = (dice: Dice): Omit<Speeds, 'day'> => ({
  download: dice.pick(rates),
  upload: dice.pick(rates),
})

export class PlanHistories {
  readonly all: readonly number[]
  /** The days from which imports hold. There are few, so that two imports of a package often have the same day. */
  readonly days: readonly number[]
  readonly #imported: Speeds[][]

  constructor(count: number, dice: Dice) {
    this.all = Array.from({ length: count }, (_, history) => history)
    this.days = Array.from({ length: 12 }, () => dice.between(0, daysOfRange))
    this.#imported = this.all.map(() => [])
  }

  /**
   * The imports in the order of recording. Each package has 1 to 8, each from a day of its own that may be before, after or the
   * same as the day of an earlier import. The first import contains all packages.
   */
  rollImports(dice: Dice): Import[] {
    const counts = this.all.map(() => dice.between(1, importsMax))
    return Array.from({ length: importsMax }, (_, round) => round).flatMap((round) => {
      const due = this.all.filter((history) => round < (counts[history] ?? 0))
      const byDay = Map.groupBy(due, () => dice.pick(this.days))
      return [...byDay].map(([day, chosen]) => ({
        day,
        speeds: new Map(chosen.map((history) => [history, rollSpeeds(dice)] as const)),
      }))
    })
  }

  record({ day, speeds }: Import): void {
    for (const [history, rolled] of speeds) {
      const own = this.of(history)
      const isFirst = own.length === 0
      if (isFirst && rolled.download === null && rolled.upload === null) continue
      own.push({ ...rolled, day: isFirst ? -Infinity : day })
    }
  }

  of(history: number): Speeds[] {
    const own = this.#imported[history]
    if (own === undefined) throw new Error(`there is no history ${history}`)
    return own
  }

  /** The definition: the last import that is dated on or before the day. The first speeds of a package are from the beginning. */
  speedsOn(history: number, day: number): Speeds | undefined {
    return this.of(history).findLast((speeds) => speeds.day <= day)
  }

  /** How many histories have what a wrong rule would get wrong. */
  get coverage(): Record<'sameDay' | 'backdated' | 'oneDirection' | 'unknownAgain', number> {
    const count = (has: (own: Speeds[]) => boolean) => this.all.filter((history) => has(this.of(history))).length
    const pairs = (own: Speeds[]) => own.slice(1).map((speeds, index) => [own[index] ?? speeds, speeds] as const)
    return {
      sameDay: count((own) => new Set(own.map(({ day }) => day)).size < own.length),
      backdated: count((own) => pairs(own).some(([before, { day }]) => day < before.day)),
      oneDirection: count((own) => own.some(({ download, upload }) => (download === null) !== (upload === null))),
      unknownAgain: count((own) => own.slice(1).some(({ download, upload }) => download === null && upload === null)),
    }
  }
}
