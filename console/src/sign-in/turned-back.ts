import { changeState, placeOf } from '../place.ts'

const reasons = ['refused', 'away', 'often'] as const

/** Why the sign-in of an organisation did not lead in, by the word in the address; the words shown are ours alone. */
const notes: Record<(typeof reasons)[number], string> = {
  refused: 'That sign-in does not let you in here. Ask your operator whether you have been added.',
  often: 'You have signed in too often in a short time. Try again in a few minutes.',
  away: 'The sign-in of your organisation does not answer. Try again in a few minutes; until then you can sign in with a token. If it stays away, tell whoever keeps it in your organisation, or your operator.',
}

const reasonIn = (hash: string) => reasons.find((reason) => placeOf(hash).state.has(reason))

export function turnedBackNote(): string {
  const reason = reasonIn(location.hash)
  return reason === undefined ? '' : notes[reason]
}

/** Once it has been said: an address that is kept, or loaded again, does not say it again. */
export function forgetTurnedBack(): void {
  if (reasonIn(location.hash) !== undefined) changeState('explore', new URLSearchParams())
}
