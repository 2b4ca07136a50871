import { customBytesMax, customFieldsMax } from '../../check/metadata/custom-metadata.ts'
import { identifierCharactersMax } from '../../check/metadata/metadata-selector.ts'
import { flag, integer, orNull, record, reference, text } from './schema.ts'

const packageText = 'ISP and package: `<isp name>:<package name>`.'
const customKeys = { pattern: String.raw`\p{L}`, maxLength: 255 }

export const agentSelector = record(
  {
    agent_id: text('Id of the agent. Punctuation and case are ignored.', { maxLength: identifierCharactersMax }),
    unit_id: integer('Number of the unit.'),
    mac_address: text('MAC address. Punctuation and case are ignored.', { maxLength: identifierCharactersMax }),
    isp: text('Name of the ISP. Matches agents with and without a package.'),
    package: text(packageText, { pattern: '^[^:]+:.+$' }),
    timezone: text('IANA name of the time zone.'),
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
    description: 'Selects agents by their current metadata; all fields must match.',
  },
)

export const metadataChange = record(
  {
    agent: reference('AgentSelector'),
    metadata: record(
      {
        package: text(`${packageText} If nothing follows the colon, the change removes the package.`, {
          pattern: '^[^:]+:',
        }),
        timezone: text('IANA name of the time zone, in its exact spelling.', {
          pattern: '^[A-Za-z][A-Za-z0-9_+/-]{0,63}$',
        }),
        custom: {
          type: 'object',
          description: `The change merges these fields with the existing fields; null removes a key. The limits are ${customFieldsMax} keys per organisation and ${customBytesMax} bytes per agent.`,
          minProperties: 1,
          maxProperties: customFieldsMax,
          propertyNames: customKeys,
          additionalProperties: { type: ['string', 'number', 'null'], maxLength: 1000 },
        },
      },
      {
        optional: ['package', 'timezone', 'custom'],
        description: 'The values to set. Only with `overwrite_all` may this object be empty.',
      },
    ),
    backdate_from: orNull(
      integer(
        'UNIX time in seconds, within the last 28 days. The change takes effect from the UTC day of this time on. Default: today.',
      ),
    ),
    overwrite_all: orNull(flag('If true, the change removes all metadata that it does not set.', { default: false })),
    dry_run: orNull(flag('If true, nothing changes, and the response says what would change.', { default: false })),
  },
  {
    optional: ['backdate_from', 'overwrite_all', 'dry_run'],
    anyOf: [
      { properties: { metadata: { minProperties: 1 } } },
      { properties: { overwrite_all: { const: true } }, required: ['overwrite_all'] },
    ],
  },
)
