/** As many as people can tell apart; further series repeat them with another dash. */
const coloursMax = 10
const dashes: readonly (readonly number[])[] = [[], [6, 4], [2, 3], [10, 3, 2, 3]]

export const colourName = (rank: number): string => `--series-${rank % coloursMax}`
export const dashOf = (rank: number): number[] => [...(dashes[Math.floor(rank / coloursMax) % dashes.length] ?? [])]

/** A custom property as a canvas needs it: computed, for the theme of now. */
export function colour(name: string, element: Element = document.documentElement): string {
  const probe = document.createElement('i')
  probe.style.color = `var(${name})`
  element.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

/** `rgb(1, 2, 3)` at some opacity. */
export const faint = (rgb: string, opacity: number): string =>
  rgb.replace(/^rgb\(/, 'rgba(').replace(/\)$/, `, ${opacity})`)
