import {
  bytes,
  bytesPerSecond,
  count,
  microseconds,
  outcome,
  smallNumber,
  text,
  tinyNumber,
  type Column,
} from '../columns.ts'

/** Columns of download tests and of upload tests (specification, "Columns of a download-test row"). */
export const transferColumns: readonly Column[] = [
  text('target', 'Host name of the test server.', { required: true }),
  text('address', 'IP address of the test server.'),
  microseconds('fetch_time', 'Duration of the transfer after warm-up.'),
  bytes('bytes_total', 'Bytes transferred over all connections after warm-up.'),
  bytesPerSecond('bytes_sec', 'Throughput over the whole transfer.'),
  bytesPerSecond('bytes_sec_interval', 'Throughput over the last interval of the transfer.'),
  microseconds('warmup_time', 'Duration of the warm-up, in which TCP opens its window.'),
  bytes('warmup_bytes', 'Bytes transferred in the warm-up.'),
  count('sequence', 'Number of the interval that the row describes; the highest number is the whole test.'),
  smallNumber('threads', 'Number of parallel TCP connections.'),
  count('tcp_retransmissions', 'Retransmitted TCP segments.'),
  ...outcome,
  tinyNumber('ip_version', 'IP version of the connection, 4 or 6.'),
  text('target_group', 'Group the test server belongs to, for example on-net or off-net.'),
]
