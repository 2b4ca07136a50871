import type { TestDefinition } from '../../catalog/define-test.ts'
import dns from '../../catalog/tests/dns.ts'
import httpget from '../../catalog/tests/httpget.ts'
import httppost from '../../catalog/tests/httppost.ts'
import jitter from '../../catalog/tests/jitter.ts'
import latency from '../../catalog/tests/latency.ts'
import networkUsage from '../../catalog/tests/network_usage.ts'
import ping from '../../catalog/tests/ping.ts'
import traceroute from '../../catalog/tests/traceroute.ts'
import webget from '../../catalog/tests/webget.ts'

/** The test and columns of a file of the published data set. */
export type FileLayout = {
  readonly test: TestDefinition
  readonly ipVersion: 4 | 6
  /** Column names by position, for files without a header. Each list is one historical form of the file. */
  readonly forms: readonly (readonly string[])[]
}

const start = ['agent_id', 'dtime']
const end = ['successes', 'failures']
const roundTrips = [...start, 'target', 'rtt_avg', 'rtt_min', 'rtt_max', 'rtt_std', ...end]
const inOrder = (test: TestDefinition, without: readonly string[] = []): string[] => [
  ...start,
  ...test.columns.map(({ name }) => name).filter((name) => !without.includes(name)),
]
const transfers = (test: TestDefinition) => inOrder(test, ['tcp_retransmissions', 'ip_version', 'target_group'])

/** The catalogue's order of columns is the order in these files. */
const layouts: Readonly<Record<string, Omit<FileLayout, 'ipVersion'>>> = {
  httpgetmt: { test: httpget, forms: [transfers(httpget)] },
  httppostmt: { test: httppost, forms: [transfers(httppost)] },
  dns: { test: dns, forms: [inOrder(dns)] },
  ping: { test: ping, forms: [roundTrips] },
  udplatency: { test: latency, forms: [roundTrips] },
  udpjitter: { test: jitter, forms: [inOrder(jitter)] },
  webget: {
    test: webget,
    forms: [inOrder(webget), [...start, 'target', 'fetch_time', 'bytes_total', 'bytes_sec', 'objects', ...end]],
  },
  traceroute: { test: traceroute, forms: [inOrder(traceroute)] },
  netusage: { test: networkUsage, forms: [inOrder(networkUsage)] },
}

/**
 * Returns the layout for names such as `curr_httpgetmt.csv`, `curr_httpgetmt6.csv` and `curr_httpgetmt_2012_01.csv`, and null
 * for other names.
 */
export function fileLayout(name: string): FileLayout | null {
  const [, stem = '', six] = /^curr_([a-z]+)(6?)(?:_\d{4}_\d{2})?\.csv(?:\.gz)?$/.exec(name) ?? []
  const layout = layouts[stem]
  return layout === undefined ? null : { ...layout, ipVersion: six === '6' ? 6 : 4 }
}
