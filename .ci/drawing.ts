/** Functions that draw lines, bars and text for the pictures in docs/images. */
import { writeFileSync } from 'node:fs'

type Scale = (value: number) => number

export const width = 760
export const height = 260
export const left = 66
export const bottom = height - 34
export const grey = '#6b7280'
export const [blue, orange, pale] = ['#1d4ed8', '#c2410c', '#dbeafe'] as const

export const between = (from: number, to: number, start: number, end: number): Scale => {
  return (value) => start + ((value - from) / (to - from)) * (end - start)
}
export const text = (x: number, y: number, words: string, more = '') =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" fill="${grey}" ${more}>${words.replaceAll('&', '&amp;')}</text>`
export const bold = (colour: string, anchor = 'start') =>
  `font-weight="bold" text-anchor="${anchor}" style="fill:${colour}"`
export const path = (points: [number, number][], more: string) =>
  `<path d="M${points.map((point) => point.map((one) => one.toFixed(1)).join(' ')).join('L')}" ${more}/>`
export const rectangle = (x: number, y: number, wide: number, high: number, fill: string) =>
  `<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${wide.toFixed(1)}" height="${high.toFixed(1)}" fill="${fill}"/>`

/** Draws horizontal lines at round values, with the values as labels. */
export const grid = (values: readonly number[], y: Scale, unit: string) =>
  values.map(
    (value) =>
      path(
        [
          [left, y(value)],
          [width - 8, y(value)],
        ],
        'stroke="#e5e7eb"',
      ) + text(left - 6, y(value) + 4, `${value} ${unit}`, 'text-anchor="end"'),
  )

export function save(name: string, title: string, parts: readonly string[]): void {
  const size = `viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`
  const head = `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" font-family="sans-serif" font-size="11">`
  const body = [`<title>${title}</title>`, rectangle(0, 0, width, height, '#ffffff'), ...parts]
  writeFileSync(`docs/images/${name}.svg`, `${head}\n${body.join('\n')}\n</svg>\n`)
}
