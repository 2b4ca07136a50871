import { count, microseconds, type Column } from '../columns.ts'

/** Round-trip times of the answered packets in one test. A lost packet has no round-trip time. */
export const rttColumns: readonly Column[] = [
  microseconds('rtt_avg', 'Mean round-trip time of the answered packets.'),
  microseconds('rtt_min', 'Shortest round-trip time of the answered packets.'),
  microseconds('rtt_max', 'Longest round-trip time of the answered packets.'),
  microseconds('rtt_std', 'Standard deviation of the round-trip times of the answered packets.'),
]

/** The outcome of ping and latency tests. An attempt is one packet, so these two columns give the packet loss. */
export const packetOutcome: readonly Column[] = [
  count('successes', 'Number of packets answered in time.', { required: true }),
  count('failures', 'Number of packets lost, that is, not answered within three seconds.', { required: true }),
]
