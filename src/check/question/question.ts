import { chartKinds, questionKey, questionLimits, type Chart, type QuestionContent } from './content.ts'
import type { VisibleCatalog } from '../../catalog/visible.ts'
import { choiceDetail } from '../choices.ts'
import { FieldFaults, isAbsent, isLonger, isObject, isStorable, messages } from '../field-faults.ts'
import { checkDimension } from '../metric/filters/metric-filters.ts'
import { checkMetrics } from '../metric/metrics.ts'

export const isQuestionKey = (text: string): boolean => questionKey.test(text)

export const keyRule =
  'This value should be 1 to 63 lower-case letters, digits and hyphens, and begin with a letter or a digit.'

/**
 * Checks the body of `PUT /questions/{key}`, except for what the metric request itself must satisfy. `request` is null if it is
 * no object.
 */
export function checkQuestion(body: unknown, visible: VisibleCatalog, faults: FieldFaults): QuestionContent | null {
  const fields = isObject(body) ? body : {}
  if (!isObject(body)) faults.add('body', messages.type('object'))
  faults.addUnexpected(fields, ['name', 'description', 'request', 'parameters', 'chart', 'tags'])
  const { nameCharactersMax, descriptionCharactersMax, tagCharactersMax, tagsMax, parametersMax } = questionLimits
  const request = checkRequest(fields['request'], faults)
  // The check of the request reports the faults of its metrics.
  const metrics = checkMetrics(request ?? {}, visible, new FieldFaults())
  const byId = new Map(visible.dimensions.map((one) => [one.id, one]))
  const name = checkText(fields['name'], 'name', nameCharactersMax, faults)
  const description = checkDescription(fields['description'], descriptionCharactersMax, faults)
  const parameters = checkTexts(
    fields['parameters'],
    'parameters',
    parametersMax,
    faults,
    (id, path) => checkDimension(id, path, byId, metrics, faults)?.id ?? '',
  )
  const tags = checkTexts(fields['tags'], 'tags', tagsMax, faults, (tag, path) =>
    checkText(tag, path, tagCharactersMax, faults),
  )
  const chart = checkChart(fields['chart'], faults)
  return request === null ? null : { name, description, request, parameters, chart, tags }
}

function checkRequest(value: unknown, faults: FieldFaults): QuestionContent['request'] | null {
  if (!isObject(value)) {
    faults.add('request', value === undefined ? messages.missing : messages.type('object'))
    return null
  }
  if (isLonger(JSON.stringify(value), questionLimits.requestCharactersMax)) {
    faults.add('request', `This value should have at most ${questionLimits.requestCharactersMax} characters as JSON.`)
  }
  return value
}

function checkText(value: unknown, path: string, charactersMax: number, faults: FieldFaults): string {
  const text = typeof value === 'string' ? value.trim() : ''
  if (value === undefined) faults.add(path, messages.missing)
  else if (typeof value !== 'string') faults.add(path, messages.type('string'))
  else if (text === '' || isLonger(text, charactersMax) || !isStorable(text)) {
    faults.add(path, `This value should be 1 to ${charactersMax} characters, none a control character.`)
  }
  return text
}

/** A description may have several lines. */
function checkDescription(value: unknown, charactersMax: number, faults: FieldFaults): string {
  if (isAbsent(value)) return ''
  const text = typeof value === 'string' ? value.trim() : ''
  if (typeof value !== 'string') faults.add('description', messages.type('string'))
  else if (isLonger(text, charactersMax) || !isStorable(text.replaceAll(/[\t\r\n]/g, ' '))) {
    faults.add(
      'description',
      `This value should have at most ${charactersMax} characters, no control character but tabs and line breaks.`,
    )
  }
  return text
}

function checkTexts(
  value: unknown,
  path: string,
  countMax: number,
  faults: FieldFaults,
  checkItem: (item: unknown, path: string) => string,
): readonly string[] {
  if (isAbsent(value)) return []
  if (!Array.isArray(value)) {
    faults.add(path, messages.type('array'))
    return []
  }
  if (value.length > countMax) {
    faults.add(path, `There may be at most ${countMax} ${path}.`)
    return []
  }
  const seen = new Set<string>()
  return value.map((item: unknown, index) => {
    const text = checkItem(item, `${path}[${index}]`)
    if (text !== '' && seen.has(text)) faults.add(`${path}[${index}]`, 'This value is repeated.')
    seen.add(text)
    return text
  })
}

function checkChart(value: unknown, faults: FieldFaults): Chart | null {
  if (isAbsent(value)) return null
  const fields = isObject(value) ? value : {}
  if (!isObject(value)) faults.add('chart', messages.type('object'))
  faults.addUnexpected(fields, ['kind', 'statistic'], 'chart')
  const kind = chartKinds.find((one) => one === fields['kind'])
  const statistic = isAbsent(fields['statistic']) ? 'metricValue' : fields['statistic']
  if (kind === undefined) faults.addChoice('chart[kind]', fields['kind'], () => chartKinds)
  if (typeof statistic !== 'string') faults.add('chart[statistic]', messages.type('string'))
  return kind === undefined || typeof statistic !== 'string' ? null : { kind, statistic }
}

/** The chart can only show a number that the points of the request have. */
export function checkStatistic(chart: Chart | null, numbers: readonly string[], faults: FieldFaults): void {
  if (chart === null || numbers.includes(chart.statistic)) return
  faults.add('chart[statistic]', messages.choice, () =>
    choiceDetail(chart.statistic, numbers, 'The points of the request do not have this number.'),
  )
}
