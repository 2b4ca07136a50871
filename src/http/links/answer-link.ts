import { Fault } from '../../base/fault.ts'
import { responseFormats } from '../../catalog/response-formats.ts'
import { checkNoParameters } from '../../check/query-parameters.ts'
import type { OpenLink } from '../../engine/postgres/questions/links.ts'
import { readQuestion, type Question } from '../../engine/postgres/questions/questions.ts'
import type { Envelope } from '../../envelope/envelope.ts'
import type { Formatted } from '../../envelope/formats/formatted.ts'
import { drawnAnswer } from '../../envelope/charts/drawn-answer.ts'
import { chartLimits, isDrawable } from '../../envelope/charts/chart-option.ts'
import { factsOf } from '../../envelope/charts/facts.ts'
import { linkPage } from '../../envelope/links/link-page.ts'
import type { Handle } from '../define-route.ts'
import type { SvgDrawer } from '../drawing/draw-svg.ts'
import { auditedQuestion, wholeAnswer } from '../routes/questions/run.ts'

export const linkForms = [
  { key: 'page', path: '/s/:secret', type: 'text/html; charset=utf-8' },
  { key: 'csv', path: '/s/:secret.csv', type: 'text/csv; charset=utf-8' },
  { key: 'svg', path: '/s/:secret.svg', type: 'image/svg+xml; charset=utf-8' },
  { key: 'json', path: '/s/:secret.json', type: 'application/json; charset=utf-8' },
] as const
export type LinkForm = (typeof linkForms)[number]

type Given = Pick<Parameters<Handle>[2], 'query' | 'admission' | 'deadline'> & {
  readonly secret: string
  readonly draw: SvgDrawer['draw']
  /** Releases the query slot. Drawing needs none. */
  readonly leave: () => void
}

type LinkAnswer = { readonly envelope: Envelope; readonly headers: Readonly<Record<string, string>> } | Formatted

/** Runs the current version of the question of a link, with the rights that the maker of the link has now. */
export async function answerLink(
  context: Parameters<Handle>[0],
  link: OpenLink,
  form: LinkForm,
  given: Given,
): Promise<LinkAnswer> {
  checkNoParameters(given.query)
  const question = await readQuestion(link, context.stores.postgres, link.questionKey, null)
  if (question === null) throw new Fault('NOT_FOUND', { detail: 'the question of a link is gone' })
  try {
    if (form.key === 'page') return await pageOf(context, link, question, given)
    if (form.key === 'svg') return await pictureOf(context, link, question, given)
    return await run(context, link, question, given, form.key)
  } catch (error) {
    throw withoutRequest(error)
  }
}

async function run(
  context: Parameters<Handle>[0],
  link: OpenLink,
  question: Question,
  given: Given,
  formatKey: 'csv' | 'json',
  request = question.request,
): Promise<LinkAnswer> {
  const format = responseFormats.find(({ key }) => key === formatKey)
  if (format === undefined) throw new Error(`there is no format ${formatKey}`)
  const audited = { link: link.id, ...auditedQuestion(question, request) }
  const answer = await wholeAnswer(context, link, given, { format, request, audited })
  if ('rows' in answer) throw new Error('a whole answer is no stream')
  return 'code' in answer ? { envelope: answer, headers: {} } : answer
}

/** The page of raw points offers files, and reads no results itself. */
async function pageOf(
  context: Parameters<Handle>[0],
  link: OpenLink,
  question: Question,
  given: Given,
): Promise<Formatted> {
  const { name, description } = question
  const { secret, draw } = given
  const found = isRaw(question) ? null : await drawn(context, link, question, given)
  // The page has the texts around the chart itself.
  const hasChart = found !== null && question.chart?.kind !== 'table' && isDrawable(found.answer)
  const svg = hasChart ? await draw({ answer: found.answer, around: null }) : null
  return {
    content: linkPage({ name, description, secret, answer: found === null ? null : { ...found, svg } }),
    headers: { 'content-type': 'text/html; charset=utf-8' },
  }
}

async function pictureOf(
  context: Parameters<Handle>[0],
  link: OpenLink,
  question: Question,
  given: Given,
): Promise<Formatted> {
  if (isRaw(question)) throw notDrawn('Raw points are not drawn; read them as CSV or JSON.')
  const { answer, facts } = await drawn(context, link, question, given)
  if (!isDrawable(answer)) {
    throw notDrawn(`More than ${chartLimits.pointsMax} points are not drawn; read them as CSV or JSON.`)
  }
  return {
    content: await given.draw({ answer, around: { title: question.name, facts } }),
    headers: { 'content-type': 'image/svg+xml; charset=utf-8' },
  }
}

const isRaw = ({ request }: Question): boolean => request['chartType'] === 'raw'

const notDrawn = (message: string): Fault => new Fault('QUERY_TOO_LARGE', { message, detail: 'an answer to draw' })

async function drawn(context: Parameters<Handle>[0], link: OpenLink, question: Question, given: Given) {
  const { include } = question.request
  const request = {
    ...question.request,
    include: [...new Set<unknown>([...(Array.isArray(include) ? include : []), 'meta'])],
  }
  const found = await run(context, link, question, given, 'json', request)
  given.leave()
  if (!('envelope' in found)) throw new Error('an aggregate has no envelope')
  const answer = drawnAnswer(question, found.envelope)
  return { answer, facts: factsOf(question, found.envelope, answer) }
}

/**
 * A visitor cannot correct the request of a question. If it has become invalid, as when its maker has lost a panel, the link
 * does not work. Only faults of the format and the time range are shown: CSV has no place for totals, and the range may have no
 * whole period yet.
 */
function withoutRequest(error: unknown): unknown {
  if (!(error instanceof Fault) || error.errors === undefined) return error
  const paths = Object.keys(error.errors)
  if (paths.every((path) => /^(time|format)\b/.test(path))) return error
  return new Fault('NOT_FOUND', { detail: `the question of a link is no longer valid: ${paths.join(', ')}` })
}
