import { count, microseconds, type Column } from '../columns.ts'

/** Summary of the round trips of one test; lost packets have no round trip and are not in it. */
export const rttColumns: readonly Column[] = [
  microseconds('rtt_avg', 'Mean round-trip time of the answered packets.'),
  microseconds('rtt_min', 'Shortest round-trip time of the answered packets.'),
  microseconds('rtt_max', 'Longest round-trip time of the answered packets.'),
  microseconds('rtt_std', 'Standard deviation of the round-trip times of the answered packets.'),
]

/** In ping and latency an attempt is a single packet, so these two give the packet loss. */
export const packetOutcome: readonly Column[] = [
  count('successes', 'Number of packets answered in time.', { required: true }),
  count('failures', 'Number of packets lost, that is, not answered within three seconds.', { required: true }),
]
