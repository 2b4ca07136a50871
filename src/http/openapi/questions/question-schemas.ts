import { peopleLimits } from '../../../base/limits.ts'
import { chartKinds, questionLimits } from '../../../check/question/content.ts'
import { flag, integer, listOf, orNull, record, reference, text, type Schema } from '../schema.ts'

const { nameCharactersMax, descriptionCharactersMax, tagsMax, tagCharactersMax, parametersMax } = questionLimits

const name = text('Name of the question.', { minLength: 1, maxLength: nameCharactersMax })
const description = text('What the question is for. It may have several lines.', {
  maxLength: descriptionCharactersMax,
})
const tags = listOf(text('A tag.', { minLength: 1, maxLength: tagCharactersMax }), {
  description: 'Tags, for lists.',
  maxItems: tagsMax,
  uniqueItems: true,
})
const parameters = listOf(text('An id of `GET /filters`.'), {
  description: 'Dimensions by which the query string of a run may filter.',
  maxItems: parametersMax,
  uniqueItems: true,
})
const chartDescription = 'How to draw the answer. Share links draw it; programs may.'
const statistic = text('The number of each point to draw, such as `metricValue`, `ci95` or `percentiles.95`.', {
  default: 'metricValue',
})
const kind = text('Kind of chart.', { enum: [...chartKinds] })

/** The format is chosen when the question runs. */
const request: Schema = {
  description: 'The body of `POST /metric_data`, without `format`. Relative times are resolved when the question runs.',
  allOf: [reference('MetricRequest'), { not: { required: ['format'] } }],
}

const key = text('Key of the question in URLs.')
const version = integer('Number of the version, from 1 on.', { minimum: 1 })
const maker = (about: string): Schema =>
  record(
    {
      kind: text('A person in the console, or a program with a token.', { enum: ['person', 'token'] }),
      name: text('Name of the person, or label of the token.'),
    },
    { description: about },
  )
const change = {
  changed_at: text('Time at which the version was saved.', { format: 'date-time' }),
  changed_by: maker('Who saved the version.'),
}

const { labelCharactersMax, passwordCharactersMin, credentialCharactersMax } = peopleLimits
const label = text('For whom the link is.', { minLength: 1, maxLength: labelCharactersMax })
const time = (about: string): Schema => orNull(text(about, { format: 'date-time' }))

export const questionSchemas: Record<string, Schema> = {
  QuestionContent: record(
    {
      name,
      description: orNull(description),
      request,
      parameters: orNull(parameters),
      chart: orNull(
        record({ kind, statistic: orNull(statistic) }, { description: chartDescription, optional: ['statistic'] }),
      ),
      tags: orNull(tags),
    },
    { optional: ['description', 'parameters', 'chart', 'tags'] },
  ),
  Question: record({
    key,
    version,
    name,
    description,
    request,
    parameters,
    chart: orNull(record({ kind, statistic }, { description: chartDescription })),
    tags,
    ...change,
  }),
  ListedQuestion: record({ key, version, name, description, tags, ...change }),
  QuestionVersion: record({ version, name, ...change }),
  QuestionLinkRequest: record(
    {
      label,
      expires_at: time('Expiry. If it is null or absent, the link does not expire.'),
      password: orNull(
        text(
          'Password that visitors send with HTTP Basic, with any user name. Without it, the link needs no password.',
          {
            minLength: passwordCharactersMin,
            maxLength: credentialCharactersMax,
          },
        ),
      ),
    },
    { optional: ['expires_at', 'password'] },
  ),
  QuestionLink: record({
    id: integer('Number of the link.'),
    label,
    visible_part: text('First characters of the secret, by which people can recognise the link.'),
    has_password: flag('Whether visitors need a password.'),
    created_at: text('Time at which the link was created.', { format: 'date-time' }),
    created_by: maker('Whose rights the link has.'),
    expires_at: time('Expiry. Null if the link does not expire.'),
    uses: integer('Number of answers that the link has given.', { minimum: 0 }),
    last_used_at: time('Time of the last use. Null if the link has not been used.'),
  }),
}
