import type { Dice } from '../../../faults/dice.ts'

/** Draws every card once before any of them twice: chance within, but none is forgotten. */
export class Deck<Card> {
  readonly #dice: Dice
  readonly #cards: readonly Card[]
  #left: Card[] = []

  constructor(dice: Dice, cards: readonly Card[]) {
    this.#dice = dice
    this.#cards = cards
  }

  /** The next card; of those that fit, if any does. */
  draw(fits: (card: Card) => boolean = () => true): Card {
    if (!this.#left.some(fits)) this.#left.push(...this.#cards)
    const fitting = this.#left.filter(fits)
    const card = this.#dice.pick(fitting.length === 0 ? this.#left : fitting)
    this.#left.splice(this.#left.indexOf(card), 1)
    return card
  }
}
