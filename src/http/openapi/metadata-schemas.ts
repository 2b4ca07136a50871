import { customBytesMax, customFieldsMax } from '../../check/metadata/custom-metadata.ts'
import { identifierCharactersMax } from '../../check/metadata/metadata-selector.ts'
import { flag, integer, orNull, record, reference, text } from './schema.ts'

const packageText = '`<isp name>:<package name>`'
const customKeys = { pattern: String.raw`\p{L}`, maxLength: 255 }

export const agentSelector = record(
  {
    agent_id: text('Punctuation and case do not matter.', { maxLength: identifierCharactersMax }),
    unit_id: integer('Number of the unit.'),
    mac_address: text('Punctuation and case do not matter.', { maxLength: identifierCharactersMax }),
    isp: text('Name of the ISP, also of the package.'),
    package: text(packageText, { pattern: '^[^:]+:.+$' }),
    timezone: text('IANA zone.'),
    custom: {
      type: 'object',
      minProperties: 1,
      propertyNames: customKeys,
      additionalProperties: { type: ['string', 'number'] },
    },
  },
  {
    optional: ['agent_id', 'unit_id', 'mac_address', 'isp', 'package', 'timezone', 'custom'],
    minProperties: 1,
    description: 'Which agents are meant, by their metadata of now; all fields must match.',
  },
)

export const metadataChange = record(
  {
    agent: reference('AgentSelector'),
    metadata: record(
      {
        package: text(`${packageText}; with nothing behind the colon the package is removed.`, { pattern: '^[^:]+:' }),
        timezone: text('IANA zone, spelt exactly.', { pattern: '^[A-Za-z][A-Za-z0-9_+/-]{0,63}$' }),
        custom: {
          type: 'object',
          description: `Merged with what is there; null removes a key. An organisation has ${customFieldsMax} keys at most, whatever agents they are of, and an agent ${customBytesMax} bytes of them.`,
          minProperties: 1,
          maxProperties: customFieldsMax,
          propertyNames: customKeys,
          additionalProperties: { type: ['string', 'number', 'null'], maxLength: 1000 },
        },
      },
      { optional: ['package', 'timezone', 'custom'], description: 'What to change. Empty only with `overwrite_all`.' },
    ),
    backdate_from: orNull(integer('From the UTC day of this UNIX time on; within the last 28 days. Left out: today.')),
    overwrite_all: orNull(flag('Removes everything that is not given.', { default: false })),
    dry_run: orNull(flag('Changes nothing; the answer says what would change.', { default: false })),
  },
  {
    optional: ['backdate_from', 'overwrite_all', 'dry_run'],
    anyOf: [
      { properties: { metadata: { minProperties: 1 } } },
      { properties: { overwrite_all: { const: true } }, required: ['overwrite_all'] },
    ],
  },
)
