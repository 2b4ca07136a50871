import { bytesPerSecond, count, microseconds, smallNumber, text, tinyNumber } from '../../../src/catalog/columns.ts'
import type { TestDefinition } from '../../../src/catalog/define-test.ts'
import { hourlyBlocks } from '../../../src/catalog/schedules.ts'

/** A column of each type, required and not, inside the identity and outside. */
export const small: TestDefinition = {
  key: 'small',
  name: 'Small',
  description: 'A small test.',
  family: 'unit',
  kinds: ['whitebox'],
  schedule: hourlyBlocks,
  identity: ['target', 'ip_version'],
  columns: [
    text('target', 'The server.', { required: true }),
    text('address', 'Its address.'),
    microseconds('rtt', 'Time to the answer.'),
    bytesPerSecond('speed', 'Speed.'),
    smallNumber('sequence', 'Place in the sequence.'),
    tinyNumber('ip_version', '4 or 6.'),
    count('successes', 'Attempts that succeeded.', { required: true }),
  ],
}
