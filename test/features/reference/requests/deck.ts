import type { Dice } from '../../../faults/dice.ts'

/** Draws cards in random order. It draws every card once before it draws a card again. */
export class Deck<Card> {
  readonly #dice: Dice
  readonly #cards: readonly Card[]
  #left: Card[] = []

  constructor(dice: Dice, cards: readonly Card[]) {
    this.#dice = dice
    this.#cards = cards
  }

  /** Draws a card for which `fits` is true. If no card fits, it draws any card. */
  draw(fits: (card: Card) => boolean = () => true): Card {
    if (!this.#left.some(fits)) this.#left.push(...this.#cards)
    const fitting = this.#left.filter(fits)
    const card = this.#dice.pick(fitting.length === 0 ? this.#left : fitting)
    this.#left.splice(this.#left.indexOf(card), 1)
    return card
  }
}
