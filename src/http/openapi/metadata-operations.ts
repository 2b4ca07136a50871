import { changeExamples } from './examples.ts'
import { bodyFaults, idempotencyKey, type Operations } from './operation.ts'
import { listOf, reference, type Schema } from './schema.ts'

const agentInPath: readonly Schema[] = [
  { name: 'field', in: 'path', required: true, schema: { type: 'string', enum: ['agent', 'unit', 'mac'] } },
  {
    name: 'value',
    in: 'path',
    required: true,
    description:
      'The identifier. For `unit` it is a whole number. For `agent` and `mac`, punctuation and case are ignored.',
    schema: { type: 'string' },
  },
]

export const metadataOperations: Operations = {
  'PUT /metadata': {
    id: 'changeMetadata',
    summary: 'Change the metadata of all matching agents',
    description:
      'Changes all matching agents on panels that you own, or none of them. Only the response to a `dry_run` has `data`.',
    parameters: [idempotencyKey('A retry with the same key and body within 24 hours does not repeat the change.')],
    body: { schema: reference('MetadataChange'), examples: changeExamples },
    data: reference('ChangePreview'),
    // Only the response to a dry run has data.
    dataIsOptional: true,
    faults: [...bodyFaults, 'CONFLICT'],
  },
  'GET /metadata/:field/:value': {
    id: 'readMetadata',
    summary: 'Read the current metadata of an agent',
    description:
      'Reads an agent on a panel that you own or are subscribed to. The 404 is the same for an agent that you cannot see and for one that does not exist.',
    parameters: agentInPath,
    data: reference('AgentMetadata'),
    faults: [],
  },
  'GET /metadata/:field/:value/history': {
    id: 'readHistory',
    summary: 'Read the timeline of an agent',
    description: 'Returns the spans of the timeline, the oldest first. The spans have no gaps and do not overlap.',
    parameters: agentInPath,
    data: listOf(reference('TimelineSpan')),
    faults: [],
  },
  'GET /response-internal-server-error': {
    id: 'failAlways',
    summary: 'Return an error',
    description: 'Always returns 500 `UNKNOWN_ERROR`, so that you can test your error handling. Needs no token.',
    data: null,
    faults: [],
    failsAlways: true,
  },
}
