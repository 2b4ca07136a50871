/**
 * Draws docs/images/coverage.svg from the result of `npm run bench -- interval-coverage`, and prints the tables of
 * docs/concepts.md: `npx node .ci/coverage-picture.ts`.
 */
import { readFileSync } from 'node:fs'
import {
  between,
  blue,
  bold,
  bottom,
  grey,
  grid,
  height,
  left,
  orange,
  pale,
  path,
  save,
  text,
  width,
} from './drawing.ts'

type Row = { statistic: string; results: string; interval: string } & Record<string, number | string | null>

const { rows }: { rows: Row[] } = JSON.parse(readFileSync('bench/results/interval-coverage.json', 'utf8'))
const isShare = ({ statistic }: Row): boolean => statistic.endsWith('%')
const counts = (row: Row | undefined): string[] => Object.keys(row ?? {}).filter((key) => /^\d+$/.test(key))
const means = rows.filter((row) => !isShare(row))
const agents = counts(means[0])

const x = between(Math.log(5), Math.log(400), left + 10, width - 20)
const y = between(0, 100, bottom, 30)
const paleOrange = '#ffedd5'

/** The range of all simulated kinds of panels, and the coverage of the simplest kind. */
function drawInterval(interval: string, colour: string, fill: string): string {
  const found = means.filter((row) => row.interval === interval)
  const along = (of: (values: number[]) => number) =>
    agents.map((count): [number, number] => [x(Math.log(Number(count))), y(of(found.map((row) => Number(row[count]))))])
  const simplest = found.find(({ statistic, results }) => statistic === 'normal' && results === 'equal')
  return [
    path(
      [...along((values) => Math.max(...values)), ...along((values) => Math.min(...values)).toReversed()],
      `fill="${fill}"`,
    ),
    path(
      agents.map((count) => [x(Math.log(Number(count))), y(Number(simplest?.[count]))]),
      `fill="none" stroke="${colour}" stroke-width="2"`,
    ),
  ].join('\n')
}

save('coverage', 'How often the 95 % interval contains the true mean, by the number of agents', [
  drawInterval('byAgents', blue, pale),
  drawInterval('byResults', orange, paleOrange),
  ...grid([0, 25, 50, 75, 95], y, '%'),
  path(
    [
      [left, y(95)],
      [width - 8, y(95)],
    ],
    `stroke="${grey}" stroke-dasharray="5 4"`,
  ),
  text(left + 12, y(62), 'intervals by agents', bold(blue)),
  text(left + 12, y(38), 'intervals by results, z·σ/√n', bold(orange)),
  ...agents.map((count) => text(x(Math.log(Number(count))), bottom + 14, count, 'text-anchor="middle"')),
  text(
    left,
    height - 6,
    'number of agents; bands: all twelve kinds of simulated panels; lines: normal, equal numbers of results',
  ),
])

const digits = (value: unknown): string => (typeof value === 'number' ? value.toFixed(1) : '–')

const printRow = (cells: readonly string[]): void => console.log(`| ${cells.join(' | ')} |`)

function printHead(texts: readonly string[], numbers: readonly string[]): void {
  console.log('')
  printRow([...texts, ...numbers])
  printRow([...texts.map(() => '---'), ...numbers.map(() => '---:')])
}

printHead(["Agents' means", 'Results per agent'], [...agents, 'by results'])
for (const row of means.filter(({ interval }) => interval === 'byAgents')) {
  const former = means.find((one) => one !== row && one.statistic === row.statistic && one.results === row.results)
  const percents = agents.map((count) => Math.round(Number(former?.[count])))
  const range = `${Math.min(...percents)}–${Math.max(...percents)}`
  printRow([row.statistic, row.results, ...agents.map((count) => digits(row[count])), range])
}

const names: Record<string, string> = {
  marked: 'panels with `few_failures`',
  ofMarked: 'with `few_failures`',
  ofUnmarked: 'without',
  byResults: 'by results',
}
const rare = rows.filter((row) => isShare(row) && row.interval in names)
printHead(['Share', 'Attempts per agent', 'Percent of'], counts(rare[0]))
for (const row of rare)
  printRow([row.statistic, row.results, names[row.interval] ?? '', ...counts(row).map((count) => digits(row[count]))])
