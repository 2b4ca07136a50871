import { changeExamples } from './examples.ts'
import { bodyFaults, idempotencyKey, type Operations } from './operation.ts'
import { listOf, reference, type Schema } from './schema.ts'

const agentInPath: readonly Schema[] = [
  { name: 'field', in: 'path', required: true, schema: { type: 'string', enum: ['agent', 'unit', 'mac'] } },
  {
    name: 'value',
    in: 'path',
    required: true,
    description: 'The identifier. Of `unit` a plain whole number; otherwise punctuation and case do not matter.',
    schema: { type: 'string' },
  },
]

export const metadataOperations: Operations = {
  'PUT /metadata': {
    id: 'changeMetadata',
    summary: 'Change the metadata of every agent that matches',
    description: 'All matching agents of panels you own change together, or none does. `data` only with `dry_run`.',
    parameters: [idempotencyKey('Sent again with the same body within 24 hours, the change is made once.')],
    body: { schema: reference('MetadataChange'), examples: changeExamples },
    data: reference('ChangePreview'),
    faults: [...bodyFaults, 'CONFLICT'],
  },
  'GET /metadata/:field/:value': {
    id: 'readMetadata',
    summary: "One agent's metadata of now",
    description:
      'Of an agent on a panel you own or are subscribed to. What you cannot see is 404 like what does not exist.',
    parameters: agentInPath,
    data: reference('AgentMetadata'),
    faults: [],
  },
  'GET /metadata/:field/:value/history': {
    id: 'readHistory',
    summary: "One agent's whole timeline",
    description: 'Oldest first, without gaps and overlaps.',
    parameters: agentInPath,
    data: listOf(reference('TimelineSpan')),
    faults: [],
  },
  'GET /response-internal-server-error': {
    id: 'failAlways',
    summary: 'Always fails',
    description: 'For trying your handling of errors. Needs no token.',
    data: null,
    faults: [],
    failsAlways: true,
  },
}
