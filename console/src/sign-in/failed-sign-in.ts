import { changeState, placeOf } from '../place.ts'

const reasons = ['refused', 'unavailable', 'often'] as const

/** Why the sign-in with an identity provider failed, by the code in the address. Only these fixed texts are shown. */
const notes: Record<(typeof reasons)[number], string> = {
  refused: 'That sign-in does not let you in here. Ask your operator whether you have been added.',
  often: 'You have signed in too often in a short time. Try again in a few minutes.',
  unavailable:
    'The sign-in of your organisation does not answer. Try again in a few minutes; until then you can sign in with a token. If this continues, tell your organisation’s administrator of that sign-in, or your operator.',
}

const reasonIn = (hash: string) => reasons.find((reason) => placeOf(hash).state.has(reason))

export function failedSignInNote(): string {
  const reason = reasonIn(location.hash)
  return reason === undefined ? '' : notes[reason]
}

/** Removes the code from the address after the text was shown, so that a bookmark or a reload does not show it again. */
export function clearFailedSignIn(): void {
  if (reasonIn(location.hash) !== undefined) changeState('explore', new URLSearchParams())
}
