/**
 * Draws the picture of docs/scaling.md from the results of `npm run bench -- growth`: `npx node .ci/growth-picture.ts`.
 */
import { readFileSync } from 'node:fs'
import { between, blue, bold, bottom, grey, grid, height, left, orange, path, save, text, width } from './drawing.ts'

type Row = { scenario: string; rows: number; 'processor, ns a row': string }

const { rows }: { rows: Row[] } = JSON.parse(readFileSync('bench/results/growth.json', 'utf8'))
const nanoseconds = (row: Row) => Number(row['processor, ns a row'])
const sizes = [...new Set(rows.map((row) => row.rows))]
const top = Math.ceil(Math.max(...rows.map(nanoseconds)) / 100) * 100
const x = between(Math.log(Math.min(...sizes)), Math.log(Math.max(...sizes)), left + 20, width - 60)
const y = between(0, top, bottom, 40)
const questions = [...Map.groupBy(rows, (row) => row.scenario)]
const colours = [blue, orange, grey]

const line = ([name, found]: [string, Row[]], index: number): string => {
  const colour = colours[index] ?? grey
  const points = found.map((row): [number, number] => [x(Math.log(row.rows)), y(nanoseconds(row))])
  const dots = points.map(
    ([across, up]) => `<circle cx="${across.toFixed(1)}" cy="${up.toFixed(1)}" r="3" fill="${colour}"/>`,
  )
  // Two of the lines are close to each other. So the label of the lower line is below the line.
  const labels = found.map((row) => {
    const isHighest = rows.every((one) => one.rows !== row.rows || nanoseconds(one) <= nanoseconds(row))
    const up = y(nanoseconds(row)) + (isHighest ? -7 : 16)
    return text(x(Math.log(row.rows)), up, row['processor, ns a row'], bold(colour, 'middle'))
  })
  const stroke = path(points, `fill="none" stroke="${colour}" stroke-width="2"`)
  return [stroke, ...dots, ...labels, text(left + 6 + index * 230, 16, name, bold(colour))].join('\n')
}

save('growth', 'Processor time a result takes, in panels of ten million to a billion results', [
  ...grid([0, top / 2, top], y, 'ns'),
  ...questions.map(line),
  ...sizes.map((size) =>
    text(
      x(Math.log(size)),
      bottom + 14,
      `${Math.round(size / 1e6).toLocaleString('en')} million`,
      'text-anchor="middle"',
    ),
  ),
  text(left, height - 6, 'results a question is about; processor time of the engine for each of them'),
])
