import { tokenScopes } from '../../base/caller.ts'
import { peopleLimits } from '../../base/limits.ts'
import { roles } from '../../base/person.ts'
import { exportFormats } from '../../catalog/export-formats.ts'
import { flag, integer, listOf, number, orNull, record, text, type Schema } from '../openapi/schema.ts'

const time = (description: string): Schema => text(description, { format: 'date-time' })
const scopes = listOf({ type: 'string', enum: [...tokenScopes] }, { minItems: 1, uniqueItems: true })

export const consoleSchemas: Record<string, Schema> = {
  Person: record({
    name: text('Name with which the user signs in.'),
    role: text('Role of the user. Only administrators can manage tokens.', { enum: [...roles] }),
    organisation: record({ key: text('Key of the organisation.'), name: text('Display name of the organisation.') }),
    has_password: flag('Whether the user has a password in this service. `PUT /password` changes it.'),
    provider: orNull(
      record(
        { key: text('Key of the provider in URLs.'), title: text('Display name of the provider.') },
        { description: 'OpenID Connect provider of the user. Null if the user signs in with a password.' },
      ),
    ),
    expires_at: time('Time at which the session ends at the latest. Requests do not prolong it.'),
  }),
  SessionToken: record({ token: text('The token.'), scopes, expires_at: time('Expiry, unless the token is renewed.') }),
  TokenRequest: record(
    {
      label: text('Purpose of the token.', { minLength: 1, maxLength: peopleLimits.labelCharactersMax }),
      scopes,
      expires_at: orNull(time('Expiry. If it is null or absent, the token does not expire.')),
    },
    { optional: ['expires_at'] },
  ),
  NewToken: record({ id: integer('Number of the token.'), token: text('The token. Only this response contains it.') }),
  OwnToken: record({
    id: integer('Number of the token.'),
    label: text('Purpose of the token.'),
    visible_part: text('First characters of the token, by which users can recognise it.'),
    scopes,
    created_at: time('Time at which the token was created.'),
    created_by: orNull(text('Name of the user who created the token. Null if the operator created it.')),
    expires_at: orNull(time('Expiry. Null if the token does not expire.')),
    revoked_at: orNull(time('Time at which the token was revoked. Null if it has not been revoked.')),
    last_used_at: orNull(
      time('Time of the last use, recorded with a delay of at most ten seconds. Null if the token has not been used.'),
    ),
  }),
  Panel: record({
    key: text('Key of the panel, for `panel` in requests.'),
    name: text('Display name of the panel.'),
    owned: flag('Whether the organisation owns the panel and may change the metadata of its agents.'),
  }),
  FoundAgent: record({
    agent_id: text('Agent id.'),
    unit_id: orNull(integer('Unit id.')),
    mac_address: orNull(text('MAC address.')),
    kind: text('Kind of agent.'),
    panel: text('Key of the panel of the agent.'),
  }),
  ListedDownload: record({
    id: text('Id of the export.', { format: 'uuid' }),
    source: text('Endpoint whose body the request has.', { enum: ['metric_data', 'test_data'] }),
    format: text('Format of the file.', { enum: exportFormats.map(({ key }) => key) }),
    request: {
      type: 'object',
      description:
        'Fields of the request: `metric`, `chartType`, `aggregation`, `splits` and `time`, or `test` and `date`.',
    },
    status: text('State of the export.', { enum: ['queued', 'running', 'complete', 'failed'] }),
    progress: number('Progress of writing the file, from 0 to 1.'),
    rows: orNull(integer('Number of rows. Null unless the export is complete.')),
    bytes: orNull(integer('Size of the file in bytes. Null unless the export is complete.')),
    failure: orNull(text('Reason for the failure. Null unless the export has failed.')),
    file_name: text('Name of the file.'),
    created_at: time('Time of the request.'),
    expires_at: time('Time at which the service removes the file.'),
  }),
}
