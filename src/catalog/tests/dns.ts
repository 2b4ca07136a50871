import { unitKinds } from '../agent-kinds.ts'
import { microseconds, outcome, text } from '../columns.ts'
import { defineTest } from '../define-test.ts'
import { hourlyBlocks } from '../schedules.ts'

export default defineTest({
  key: 'dns',
  name: 'DNS resolution',
  description: 'Looks up well-known host names at a name server and times the answers.',
  family: 'unit',
  kinds: unitKinds,
  schedule: hourlyBlocks,
  identity: ['nameserver', 'lookup_host'],
  columns: [
    text('nameserver', 'Name server that received the query.', { required: true }),
    text('lookup_host', 'Host name that was looked up.', { required: true }),
    text('response_ip', 'IP address the name server answered with.'),
    microseconds('rtt', 'Time from sending the query to receiving the answer.'),
    ...outcome,
  ],
})
