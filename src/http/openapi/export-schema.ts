import { warnings } from './warning-schema.ts'
import { integer, number, orNull, record, text } from './schema.ts'

export const exportSchema = record(
  {
    id: text('Of the export.', { format: 'uuid' }),
    status: text('How far it is.', { enum: ['queued', 'running', 'complete', 'failed'] }),
    url: orNull(text('Link to the file, good for an hour; null until it is complete.', { format: 'uri' })),
    status_url: text('Where to ask again. Append it to the base address.'),
    rows: orNull(integer('Rows of the file, counted by reading it back.')),
    bytes: orNull(integer('Size of the file.')),
    expires_at: text('When the file is removed.', { format: 'date-time' }),
    progress: number('While running, by the rows the engine has read; the last tenth is reading the file back.', {
      minimum: 0,
      maximum: 1,
    }),
    failure: text('What to do, when it has failed.'),
    warnings,
  },
  { optional: ['progress', 'failure', 'warnings'] },
)
