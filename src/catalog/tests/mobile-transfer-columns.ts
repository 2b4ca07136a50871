import { bytes, bytesPerSecond, microseconds, outcome, smallNumber, text, type Column } from '../columns.ts'
import { mobileColumns } from './mobile-columns.ts'

/** Columns of mobile download tests and of mobile upload tests. */
export const mobileTransferColumns: readonly Column[] = [
  text('target', 'Host name of the test server.', { required: true }),
  text('address', 'IP address of the test server.'),
  microseconds('transfer_time', 'Duration of the transfer after warm-up.'),
  bytes('transfer_bytes', 'Bytes transferred over all connections after warm-up.'),
  bytesPerSecond('bytes_sec', 'Throughput over the whole transfer.'),
  microseconds('warmup_time', 'Duration of the warm-up, in which TCP opens its window.'),
  bytes('warmup_bytes', 'Bytes transferred in the warm-up.'),
  smallNumber('threads', 'Number of parallel TCP connections.'),
  ...outcome,
  ...mobileColumns,
]
