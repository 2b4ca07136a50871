/** Number of colours that people can distinguish. Further series repeat them with another dash pattern. */
const coloursMax = 10
const dashes: readonly (readonly number[])[] = [[], [6, 4], [2, 3], [10, 3, 2, 3]]

export const colourName = (rank: number): string => `--series-${rank % coloursMax}`
export const dashOf = (rank: number): number[] => [...(dashes[Math.floor(rank / coloursMax) % dashes.length] ?? [])]

/** Returns the computed value of a CSS custom property in the current theme, because a canvas cannot use custom properties. */
export function colour(name: string, element: Element = document.documentElement): string {
  const probe = document.createElement('i')
  probe.style.color = `var(${name})`
  element.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

/** Returns a colour such as `rgb(1, 2, 3)` with an opacity. */
export const faint = (rgb: string, opacity: number): string =>
  rgb.replace(/^rgb\(/, 'rgba(').replace(/\)$/, `, ${opacity})`)
