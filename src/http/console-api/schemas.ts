import { tokenScopes } from '../../base/caller.ts'
import { peopleLimits } from '../../base/limits.ts'
import { roles } from '../../base/person.ts'
import { exportFormats } from '../../catalog/export-formats.ts'
import { flag, integer, listOf, number, orNull, record, text, type Schema } from '../openapi/schema.ts'

const time = (description: string): Schema => text(description, { format: 'date-time' })
const scopes = listOf({ type: 'string', enum: [...tokenScopes] }, { minItems: 1, uniqueItems: true })

export const consoleSchemas: Record<string, Schema> = {
  Person: record({
    name: text('As they sign in.'),
    role: text('Administrators manage tokens.', { enum: [...roles] }),
    organisation: record({ key: text('Key.'), name: text('Name for people.') }),
    has_password: flag('Whether there is a password here, which `PUT /password` changes.'),
    provider: orNull(
      record(
        { key: text('In addresses.'), title: text('For people.') },
        { description: 'The sign-in of their organisation they come by; null: none.' },
      ),
    ),
    expires_at: time('When the session ends, however much it is used.'),
  }),
  SessionToken: record({ token: text('The token.'), scopes, expires_at: time('Until when, unless renewed.') }),
  TokenRequest: record(
    {
      label: text('What it is for.', { minLength: 1, maxLength: peopleLimits.labelCharactersMax }),
      scopes,
      expires_at: orNull(time('Null or absent: never.')),
    },
    { optional: ['expires_at'] },
  ),
  NewToken: record({ id: integer('Number of the token.'), token: text('The token, shown only now.') }),
  OwnToken: record({
    id: integer('Number of the token.'),
    label: text('What it is for.'),
    visible_part: text('Its first characters, to tell it by.'),
    scopes,
    created_at: time('When it was made.'),
    created_by: orNull(text('Who made it; null: the operator.')),
    expires_at: orNull(time('Null: never.')),
    revoked_at: orNull(time('Null: it has not been revoked.')),
    last_used_at: orNull(time('Null: never. At most ten seconds late.')),
  }),
  Panel: record({
    key: text('What `panel` takes.'),
    name: text('Name for people.'),
    owned: flag('Whether its metadata can be changed.'),
  }),
  FoundAgent: record({
    agent_id: text('Agent id.'),
    unit_id: orNull(integer('Unit id.')),
    mac_address: orNull(text('MAC address.')),
    kind: text('Kind of agent.'),
    panel: text('Key of its panel.'),
  }),
  ListedDownload: record({
    id: text('Of the download.', { format: 'uuid' }),
    source: text('Whose request it is.', { enum: ['metric_data', 'test_data'] }),
    format: text('Of the file.', { enum: exportFormats.map(({ key }) => key) }),
    request: {
      type: ['object', 'null'],
      description:
        'Of the request: `metric`, `chartType`, `aggregation`, `splits` and `time`, or `test` and `date`. Null where an older version took it in.',
    },
    status: text('How far it is.', { enum: ['queued', 'running', 'complete', 'failed'] }),
    progress: number('From 0 to 1 while it is written.'),
    rows: orNull(integer('Rows, once complete.')),
    bytes: orNull(integer('Bytes, once complete.')),
    failure: orNull(text('Why it failed.')),
    file_name: text('Of the file.'),
    created_at: time('When it was asked for.'),
    expires_at: time('Until when it is kept.'),
  }),
}
