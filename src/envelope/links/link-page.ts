import { hash } from 'node:crypto'
import { numberText, periodText } from '../charts/chart-text.ts'
import type { DrawnAnswer, DrawnPoint } from '../charts/drawn-answer.ts'
import type { Fact } from '../charts/facts.ts'

type Shown = {
  readonly name: string
  readonly description: string
  /** The secret of the link. The addresses of the files are relative, so that they also work behind a proxy that adds a prefix. */
  readonly secret: string
  /** Null for raw points, which are only offered as files. */
  readonly answer: { readonly answer: DrawnAnswer; readonly facts: readonly Fact[]; readonly svg: string | null } | null
}

const style = `
:root { color-scheme: light; font: 15px/1.5 system-ui, sans-serif; color: #1c2530; background: #fff }
body { max-width: 62rem; margin: 0 auto; padding: 1.5rem }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .25rem }
p { margin: 0 0 1rem; white-space: pre-line }
img { display: block; width: 100%; height: auto; margin: 1rem 0 }
nav { margin: 1rem 0 }
nav a { margin-right: 1rem }
a { color: #0b5cad }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 1rem 0; font-size: .9rem }
dt { color: #5a6675 }
dd { margin: 0 }
div { overflow-x: auto }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; width: 100% }
th, td { text-align: left; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid #e3e7ec; white-space: nowrap }
th { font-weight: 600 }
.n { text-align: right }
footer { color: #5a6675; font-size: .85rem; margin-top: 1.5rem }
`

/** The page has one style sheet and no script. A policy with this source allows the style sheet. */
export const pageStyleSource = `'sha256-${hash('sha256', style, 'base64')}'`

/** Rows of the table. The files have all points. */
const rowsMax = 200

/** The page of a share link. It loads nothing: the chart is a part of it. */
export function linkPage({ name, description, secret, answer }: Shown): string {
  const files = [['csv', 'CSV'], ['json', 'JSON'], ...(answer?.svg === null || answer === null ? [] : [['svg', 'SVG']])]
  return page(
    name,
    `<h1>${escaped(name)}</h1>
${description === '' ? '' : `<p>${escaped(description)}</p>`}
${answer === null ? '<p>This question returns single results. They are in the files below.</p>' : shownAnswer(name, answer)}
<nav>${files.map(([suffix, text]) => `<a href="${escaped(secret)}.${suffix}">${text}</a>`).join('')}</nav>
${answer === null ? '' : table(answer.answer)}
<footer>Anyone with this address can read these figures until the link ends.</footer>`,
  )
}

/** The page of an error. Its text is the same for every link that does not work. */
export function faultPage(status: number, message: string): string {
  const [title, text] =
    status === 404
      ? ['This link does not work', 'It may be mistyped, revoked or expired. Ask for a new one.']
      : status === 401
        ? ['This link needs its password', 'Reload the page to enter it. The user name may be any.']
        : ['Not available now', message]
  return page(title, `<h1>${escaped(title)}</h1>\n<p>${escaped(text)}</p>`)
}

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`

function shownAnswer(name: string, { svg, facts }: NonNullable<Shown['answer']>): string {
  const picture =
    svg === null
      ? ''
      : `<img alt="Chart: ${escaped(name)}" src="data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}">`
  const lines = facts.map((fact) => `<dt>${escaped(fact.name)}</dt><dd>${escaped(fact.text)}</dd>`)
  return `${picture}\n<dl>${lines.join('\n')}</dl>`
}

function table({ measure, unit, axis, aggregation, series }: DrawnAnswer): string {
  const rows = series.flatMap(({ name, points }) => points.map((point) => ({ name, point })))
  if (rows.length === 0) return '<p>There are no results.</p>'
  const hasNames = series.length > 1 || series[0]?.name !== ''
  const heads = [
    ...(hasNames ? ['<th>Series</th>'] : []),
    ...(axis === 'none' ? [] : ['<th>Period</th>']),
    `<th class="n">${escaped(unit === '' ? measure : `${measure}, ${unit}`)}</th>`,
    '<th class="n">95 % interval</th><th class="n">Results</th><th class="n">Agents</th><th>Notes</th>',
  ]
  const cells = ({ name, point }: (typeof rows)[number]) =>
    [
      ...(hasNames ? [cell(name)] : []),
      ...(axis === 'none' ? [] : [cell(periodText(point.label, aggregation))]),
      cell(numberText(point.value), 'n'),
      cell(
        point.low === null || point.high === null ? '' : `${numberText(point.low)} to ${numberText(point.high)}`,
        'n',
      ),
      cell(point.results === null ? '' : String(point.results), 'n'),
      cell(point.agents === null ? '' : String(point.agents), 'n'),
      cell(notes(point)),
    ].join('')
  const body = rows.slice(0, rowsMax).map((row) => `<tr>${cells(row)}</tr>`)
  const more = rows.length - rowsMax
  return `<div><table><thead><tr>${heads.join('')}</tr></thead><tbody>
${body.join('\n')}
</tbody></table></div>${more > 0 ? `\n<p>${more} more points are in the files.</p>` : ''}`
}

const cell = (text: string, name?: 'n'): string =>
  `<td${name === undefined ? '' : ` class="${name}"`}>${escaped(text)}</td>`

const notes = ({ isPartial, caution }: DrawnPoint): string =>
  [...(isPartial ? ['partial'] : []), ...caution.map((one) => one.replaceAll('_', ' '))].join(', ')

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (one) => entities[one] ?? '')
