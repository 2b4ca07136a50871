import type { Dice } from '../../../faults/dice.ts'
import { chance } from '../dataset/chances.ts'
import type { Dataset } from '../model/facts.ts'
import { dayMs, requestedMs } from '../model/local-time.ts'
import type { Asked, MetricRequest } from '../model/request.ts'
import { rightRules } from '../model/rules.ts'
import { rangeOf, type Sample } from '../model/select.ts'
import { Deck } from './deck.ts'

type Time = MetricRequest['time']
type Form = 'unchanged' | 'with Z' | 'a number' | 'digits'

/** Most ends keep the documented form that the generator chose. */
const forms: Form[] = [...Array<Form>(7).fill('unchanged'), 'with Z', 'a number', 'digits']

export type TimeDecks = { dice: Dice; forms: Deck<Form>; narrowed: Deck<boolean> }

export const newTimeDecks = (dice: Dice): TimeDecks => ({
  dice,
  forms: new Deck(dice, forms),
  narrowed: new Deck(dice, [true, false, false]),
})

/** The same range in other forms. Relative ends stay as they are. */
export const varyForms = (decks: TimeDecks, { from, to }: Time, now: Temporal.Instant): Time => ({
  from: varyForm(decks, from, 'from', now),
  to: varyForm(decks, to, 'to', now),
})

function varyForm({ dice, forms: deck }: TimeDecks, given: string | number, end: 'from' | 'to', now: Temporal.Instant) {
  if (!/^\d{4}-/.test(String(given))) return given
  const second = requestedMs(given, end, now, rightRules)
  const isWholeDay = (second + (end === 'to' ? 1000 : 0)) % dayMs === 0
  if (isWholeDay && chance(dice, 50)) return new Date(second).toISOString().slice(0, 10)
  const form = deck.draw()
  // The service cuts off fractions of a second.
  const moment = second + dice.pick([0, dice.between(0, 999)])
  if (form === 'a number') return moment
  if (form === 'digits') return String(moment)
  return form === 'with Z' ? textWithZ(dice, moment) : given
}

function textWithZ(dice: Dice, moment: number): string {
  const text = new Date(moment).toISOString()
  const seconds = text.slice(17, 19)
  return dice.pick([text, `${text.slice(0, 19)}Z`, seconds === '00' ? `${text.slice(0, 16)}Z` : text])
}

/**
 * Sometimes narrows a request to whole periods, if the anchor is in one of them. Without any whole period the request
 * would be invalid.
 */
export function varyPeriods({ narrowed }: TimeDecks, dataset: Dataset, asked: Asked, anchor: Sample): MetricRequest {
  const { chartType, aggregation } = asked.request
  const hasPeriods = chartType === 'aggregate' && aggregation !== undefined && aggregation.endsWith('ly')
  if (!hasPeriods) return asked.request
  const request = { ...asked.request, wholePeriods: true }
  const range = rangeOf(dataset, { ...asked, request }, rightRules)
  const { localMs } = anchor.located
  const holdsAnchor = range !== null && localMs >= range.fromMs && localMs < range.toMs + 1000
  return holdsAnchor && narrowed.draw() ? request : asked.request
}
