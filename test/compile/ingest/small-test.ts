import { bytesPerSecond, count, microseconds, smallNumber, text, tinyNumber } from '../../../src/catalog/columns.ts'
import type { TestDefinition } from '../../../src/catalog/define-test.ts'
import { hourlyBlocks } from '../../../src/catalog/schedules.ts'

/**
 * A test with columns of each type. Some are required, some are optional. Some belong to the row's identity, some do
 * not.
 */
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
