import type { Dice } from '../../../../faults/dice.ts'

/** Characters that have a meaning in patterns. */
const escaped = (text: string): string => text.replaceAll(/[\^$\\.*+?()[\]{}|/]/g, String.raw`\$&`)

const swappedCase = (text: string): string =>
  [...text].map((one) => (one === one.toLowerCase() ? one.toUpperCase() : one.toLowerCase())).join('')

/** A text that keeps its length with another case. A ligature, for example, has no capital of one character. */
const hasCases = (text: string): boolean => swappedCase(swappedCase(text)) === text

/** A pattern that matches the text, and that RE2 and JavaScript interpret in the same way. */
export function rollPattern(dice: Dice, text: string): string {
  const characters = [...text]
  const { length } = characters
  const from = dice.between(0, Math.max(0, length - 1))
  const first = escaped(characters.slice(0, from + 1).join(''))
  const last = escaped(characters.slice(from).join(''))
  const inner = characters.slice(from, from + dice.between(1, 3)).join('')
  return dice.pick([
    `^${first}`,
    `${last}$`,
    `^${escaped(text)}$`,
    escaped(inner),
    `^.{${length}}$`,
    `^.{${length},}`,
    hasCases(inner) ? `(?i)${escaped(swappedCase(inner))}` : escaped(inner),
    hasCases(text) ? `(?i)^${escaped(swappedCase(text))}$` : escaped(text),
    `^(${escaped(text)}|no such thing)$`,
    `no such thing|${last}`,
    String.raw`^[^\d]*$|${inner === '' ? '.' : escaped(inner)}`,
    /[a-z]/.test(text) ? '[a-z]+' : `^${escaped(text)}`,
    /\d/.test(text) ? String.raw`\d` : `(?:${escaped(text)})+$`,
  ])
}
