import type { Fault } from '../../base/fault.ts'

/** What a caller would have been answered, for a person at the command line. */
export const refusal = ({ message, errors }: Fault): string =>
  [message, ...Object.entries(errors ?? {}).map(([path, faults]) => `  ${path}: ${faults.join(' ')}`)].join('\n')
