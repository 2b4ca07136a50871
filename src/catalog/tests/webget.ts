import { unitKinds } from '../agent-kinds.ts'
import { bytes, bytesPerSecond, count, microseconds, outcome, smallNumber, text } from '../columns.ts'
import { defineTest } from '../define-test.ts'
import { hourlyBlocks } from '../schedules.ts'

export default defineTest({
  key: 'webget',
  name: 'Web browsing',
  description: 'Fetches the front page of a popular website with everything it embeds, without rendering it.',
  family: 'unit',
  kinds: unitKinds,
  schedule: hourlyBlocks,
  identity: ['target'],
  columns: [
    text('target', 'URL of the page.', { required: true }),
    text('address', 'IP address the page itself was fetched from.'),
    microseconds('fetch_time', 'Time to fetch the page and its objects.'),
    bytes('bytes_total', 'Bytes fetched for the page and its objects.'),
    bytesPerSecond('bytes_sec', 'Throughput over the whole fetch.'),
    count('objects', 'Objects fetched, such as documents, style sheets and images.'),
    smallNumber('threads', 'Largest number of parallel TCP connections allowed.'),
    count('requests', 'HTTP requests made.'),
    count('connections', 'TCP connections opened.'),
    count('reused_connections', 'Requests made over a TCP connection that was already open.'),
    count('lookups', 'DNS lookups made.'),
    microseconds('request_total_time', 'Sum of the durations of all requests, including parallel ones.'),
    microseconds('request_min_time', 'Duration of the shortest request.'),
    microseconds('request_avg_time', 'Mean duration of a request.'),
    microseconds('request_max_time', 'Duration of the longest request.'),
    microseconds('ttfb_total', 'Sum of the times to first byte of all requests, including parallel ones.'),
    microseconds('ttfb_min', 'Shortest time to first byte of a request.'),
    microseconds('ttfb_avg', 'Mean time to first byte of a request.'),
    microseconds('ttfb_max', 'Longest time to first byte of a request.'),
    microseconds('lookup_total_time', 'Sum of the durations of all DNS lookups, including parallel ones.'),
    microseconds('lookup_min_time', 'Duration of the shortest DNS lookup.'),
    microseconds('lookup_avg_time', 'Mean duration of a DNS lookup.'),
    microseconds('lookup_max_time', 'Duration of the longest DNS lookup.'),
    ...outcome,
  ],
})
