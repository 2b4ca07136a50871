/** An error lists at most this many choices. If there are more, it lists the closest ones. */
const listedMax = 20
const closestMax = 5

/** The distance up to which a choice counts as a misspelling. It must also be less than this share of the longer text. */
const guessDistanceMax = 3
const guessShare = 0.6

/** Number of characters that are compared, so that a long text costs little. */
const comparedCharactersMax = 64

type More = {
  /** Number of all choices, if `choices` has only some of them. */
  readonly total?: number | undefined
  /** Command that lists all choices. */
  readonly listing?: string | undefined
}

/** Names the closest choice and the choices: `Did you mean daily? Choices: hourly, daily.` */
export function choicesText(given: unknown, choices: readonly string[], { total, listing }: More = {}): string {
  const text = typeof given === 'string' ? given : ''
  const found = choices
    .map((choice) => ({ choice, distance: distanceOf(text, choice) }))
    .toSorted((one, other) => one.distance - other.distance)
  const [closest] = found
  const guess = closest !== undefined && isGuess(text, closest) ? `Did you mean ${closest.choice}? ` : ''
  const all = total ?? choices.length
  if (all <= listedMax) return `${guess}Choices: ${choices.join(', ')}.`
  const names = found.slice(0, closestMax).map(({ choice }) => choice)
  const help = listing === undefined ? '' : ` To list all: ${listing}`
  return `${guess}The closest of ${all} choices: ${names.join(', ')}.${help}`
}

const isGuess = (text: string, { choice, distance }: { choice: string; distance: number }): boolean =>
  text !== '' && distance <= guessDistanceMax && distance < guessShare * Math.max(text.length, choice.length)

const comparable = (text: string): string => text.slice(0, comparedCharactersMax).toLowerCase()

/** A choice that contains the text is as close as one that is equal to it: `download` stands for `mobileDownload`. */
function distanceOf(text: string, choice: string): number {
  const [one, other] = [comparable(text), comparable(choice)]
  return one.length >= 3 && other.includes(one) ? 0 : editDistance(one, other)
}

const at = (line: readonly number[], column: number): number => line[column] ?? Infinity

/** Number of insertions, deletions, substitutions and swaps of neighbours between two texts (optimal string alignment). */
function editDistance(one: string, other: string): number {
  let older: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row]
    for (let column = 1; column <= other.length; column += 1) {
      const isEqual = one[row - 1] === other[column - 1]
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      next.push(
        Math.min(
          at(next, column - 1) + 1,
          at(last, column) + 1,
          at(last, column - 1) + (isEqual ? 0 : 1),
          isSwapped ? at(older, column - 2) + 1 : Infinity,
        ),
      )
    }
    older = last
    last = next
  }
  return last[other.length] ?? 0
}
